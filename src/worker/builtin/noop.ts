// `noop`: takes any payload, does nothing, results in null. What a queue costs without its work.
import type { Handler } from '../handler.ts';

export const noop: Handler = () => null;
