// What `import ... from 'sluice'` gives: defining tasks, running a worker, and the errors and types to do it with.

export { ApiProblem, PROBLEM_CODES, type Problem, type ProblemCode } from './core/codes.ts';
export { DEFAULT_SETTINGS, type QueueSettings, type RateLimit, type SettingsPatch } from './core/settings.ts';
export type {
  AttemptRecord,
  DeadLetterReason,
  FinalStatus,
  InputFile,
  Instant,
  Progress,
  RetryPolicy,
  Task,
  TaskError,
  TaskStatus,
} from './core/task.ts';
export { EngineError, type EngineErrorCode } from './engine/errors.ts';
export type { Engine } from './engine/port.ts';
export type { TaskSink, WorkSource } from './engine/slices.ts';
export type { WorkerEnv, WorkerLog, WorkerTimers } from './worker/env.ts';
export {
  type Deferral,
  defer,
  type Handler,
  type HandlerContext,
  type InputSource,
  type LogLevel,
  PermanentError,
  RetryAfterError,
} from './worker/handler.ts';
export { defineTask, type TaskDefinition } from './worker/tasks.ts';
export { type DrainReport, Worker, type WorkerOptions } from './worker/worker.ts';
