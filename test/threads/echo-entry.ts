// A thread entry written in TypeScript, with an import that ends in .ts.
import { parentPort, workerData } from 'node:worker_threads';
import { double } from './double.ts';

parentPort?.postMessage(double(workerData as number));
