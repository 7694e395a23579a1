// Requests as bytes on a socket, for what no HTTP client would send.
import { createConnection, type Socket } from 'node:net';

export interface RawConnection {
  readonly socket: Socket;
  /** All that has come so far. */
  received(): string;
  /** Resolves with what has come once it matches; rejects where the connection ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with all that came when the server closes. */
  readonly ended: Promise<string>;
}

export function connect(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = createConnection(Number(port), hostname).setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(text));
    socket.on('error', () => resolve(text));
  });
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (pattern.test(text)) resolve(text);
      };
      look();
      socket.on('data', look);
      void ended.then(() => reject(new Error(`ended with ${JSON.stringify(text)}`)));
    });
  return { socket, received: () => text, until, ended };
}

/** A form's bytes: parts in order, each with its headers, and the end where it is asked for. */
export function formBytes(
  parts: readonly { readonly head: string; readonly content: string }[],
  complete = true,
): string {
  const text = parts.map(
    ({ head, content }) => `--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`,
  );
  return text.join('') + (complete ? '--b--\r\n' : '');
}

/** The head of a form's submission; `length` may promise more than ever comes. */
export function formHead(length: number): string {
  return [
    'POST /api/v1/tasks HTTP/1.1',
    'host: x',
    'content-type: multipart/form-data; boundary=b',
    `content-length: ${length}`,
    '\r\n',
  ].join('\r\n');
}
