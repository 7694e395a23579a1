// A piscina entry written in TypeScript.
import { double } from './double.ts';

export default (value: number): number => double(value);
