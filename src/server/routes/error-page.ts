// The page that a problem's `type` refers to: every code, its status and when it is told. Static, from the table of codes.
import type { FastifyInstance } from 'fastify';
import { PROBLEM_CODES } from '../../core/codes.ts';

export function errorPage(app: FastifyInstance): void {
  const page = render();
  app.get('/docs/errors', async (_request, reply) =>
    reply
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
      .header('cache-control', 'max-age=300')
      .type('text/html; charset=utf-8')
      .send(page),
  );
}

function render(): string {
  const entries = Object.entries(PROBLEM_CODES).map(
    ([code, { status, title, when }]) =>
      `<h2 id="${code}">${code}</h2>\n<p><strong>${status}</strong> ${escaped(title)}. ${escaped(when)}</p>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sluice errors</title></head>
<body><h1>Errors</h1>
${entries.join('\n')}
</body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
}
