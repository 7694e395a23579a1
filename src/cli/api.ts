// Talks to a server: one JSON request, one answer, and every way that this can fail as an error that says which.
import { CliError, EXIT, type ExitCode } from './exit.ts';

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

export interface RequestParts {
  /** undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: unknown;
  readonly body?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The server said no, with a problem document. */
export class Refusal extends CliError {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds, from the Retry-After header. */
  readonly retryAfterS: number | null;

  constructor(status: number, problem: Readonly<Record<string, unknown>>, retryAfterS: number | null) {
    const code = typeof problem.code === 'string' ? problem.code : `HTTP ${status}`;
    const message = typeof problem.message === 'string' ? problem.message : 'the server gave no reason';
    const details = isRecord(problem.details) ? problem.details : {};
    const first = code === 'IDEMPOTENCY_KEY_REUSED' ? ` (the first: ${String(details.task_id)})` : '';
    const hint = retryAfterS === null ? '' : ` (Retry-After: ${retryAfterS} s)`;
    super(exitCodeOf(status), `${code}: ${message}${first}${hint}`);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfterS = retryAfterS;
  }
}

const PREFIX = '/api/v1';

export class Api {
  readonly #base: string;
  readonly #signal: AbortSignal | null;

  /** `url`: where the server listens, without the `/api/v1`. The signal ends every request with its reason. */
  constructor(url: string, signal: AbortSignal | null = null) {
    this.#base = url.replace(/\/+$/, '');
    this.#signal = signal;
  }

  get<T>(path: string, query: RequestParts['query'] = {}): Promise<Answer<T>> {
    return this.request('GET', path, { query });
  }

  post<T>(path: string, json: unknown = {}): Promise<Answer<T>> {
    return this.request('POST', path, { json });
  }

  async request<T>(method: string, path: string, parts: RequestParts = {}): Promise<Answer<T>> {
    const url = new URL(this.#base + PREFIX + path);
    for (const [name, value] of Object.entries(parts.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { accept: 'application/json', ...parts.headers };
    const init: RequestInit = { method, headers, signal: this.#signal };
    if (parts.json !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(parts.json);
    } else if (parts.body !== undefined) init.body = parts.body;
    const response = await this.#send(url, init);
    const body = await this.#read(response);
    if (response.ok) return { status: response.status, body: body as T, headers: response.headers };
    throw new Refusal(response.status, isRecord(body) ? body : {}, retryAfter(response.headers));
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (thrown) {
      this.#signal?.throwIfAborted();
      throw unreachable(this.#base, thrown);
    }
  }

  async #read(response: Response): Promise<unknown> {
    let text: string;
    try {
      text = await response.text();
    } catch (thrown) {
      this.#signal?.throwIfAborted();
      throw unreachable(this.#base, thrown);
    }
    if (text === '') return null;
    try {
      return JSON.parse(text);
    } catch {
      throw new CliError(
        EXIT.failed,
        `${this.#base} does not answer like a Sluice server (HTTP ${response.status})`,
      );
    }
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function exitCodeOf(status: number): ExitCode {
  if (status === 429 || status === 503) return EXIT.refused;
  return status === 400 ? EXIT.usage : EXIT.failed;
}

function retryAfter(headers: Headers): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : null;
}

function unreachable(base: string, thrown: unknown): CliError {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = isRecord(cause) && typeof cause.code === 'string' ? cause.code : null;
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause));
  return new CliError(EXIT.unreachable, `cannot reach a server at ${base} (${reason})`, { cause: thrown });
}
