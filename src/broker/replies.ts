// What the broker answers to a submission.
import type { Problem } from '../core/codes.ts';
import type { InputFile, TaskStatus } from '../core/task.ts';

export interface SubmitAsk {
  /** An API key's stable name, or `anonymous`. */
  readonly principal: string;
  /** The parsed Idempotency-Key header; wins over the body's. */
  readonly headerKey: string | null;
  /** The file that came with the task, as uploads.ts received it. */
  readonly upload: Upload | null;
}

export interface Upload {
  /** The id (without its home) that the task will get. */
  readonly id: string;
  readonly file: InputFile;
}

export type SubmitReply =
  | {
      readonly kind: 'accepted';
      readonly taskId: string;
      readonly status: 'queued' | 'scheduled';
      readonly queue: string;
      /** null for a scheduled task. */
      readonly position: number | null;
      readonly depth: number;
      readonly limit: number;
    }
  | {
      readonly kind: 'duplicate';
      readonly taskId: string;
      readonly status: TaskStatus;
      readonly queue: string;
    }
  | { readonly kind: 'refused'; readonly problem: Problem };
