// Requests to a server under test, with answers in full.

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON object; empty where the answer is none. */
  readonly body: Record<string, unknown>;
}

export interface Request {
  readonly json?: unknown;
  readonly body?: FormData | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Client {
  /** Where the server listens, without any path. */
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** `path` below `/api/v1`, or from the root where it starts with two slashes. */
  async request(method: string, path: string, { json, body, headers = {} }: Request = {}): Promise<Answer> {
    const target = path.startsWith('//') ? this.url + path.slice(1) : `${this.url}/api/v1${path}`;
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    const sent = json === undefined ? body : JSON.stringify(json);
    const response = await fetch(target, {
      method,
      headers: { ...type, ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: objectOf(text) };
  }

  get(path: string): Promise<Answer> {
    return this.request('GET', path);
  }

  post(path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.request('POST', path, json === undefined ? { headers } : { json, headers });
  }

  patch(path: string, json: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.request('PATCH', path, { json, headers });
  }

  /** One task with a file. */
  upload(
    task: unknown,
    content: string | Blob,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const form = new FormData();
    form.set('task', new Blob([JSON.stringify(task)], { type: 'application/json' }));
    form.set('file', new Blob([content], { type: 'text/csv' }), 'data.csv');
    return this.request('POST', '/tasks', { body: form, headers });
  }

  /** Submits and gives the id; fails where the task is not accepted. */
  async submitted(task: Readonly<Record<string, unknown>>): Promise<string> {
    const { status, body, text } = await this.post('/tasks', { type: 'work', ...task });
    if (status !== 202) throw new Error(`not accepted: ${status} ${text}`);
    return String(body.task_id);
  }
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
