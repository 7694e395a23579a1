// `echo`: the payload is the result.
import type { Handler } from '../handler.ts';

export const echo: Handler = (payload) => payload;
