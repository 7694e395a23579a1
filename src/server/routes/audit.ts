// Who did what, newest first; and how an action is written down.
import type { FastifyInstance } from 'fastify';
import { type AppParts, callOf } from '../context.ts';
import { checked, pageOf, pageQuery } from '../input.ts';
import { auditView } from '../wire/audit.ts';

const listQuery = pageQuery({}, 'A page of the audit.');

export function auditRoutes(api: FastifyInstance, parts: AppParts): void {
  api.get('/audit', async (request) => {
    const { limit, cursor } = pageOf(checked(listQuery, request.query));
    const page = await parts.engine.audit.list({ limit, cursor }, callOf(parts));
    return { items: page.items.map(auditView), next_cursor: page.next };
  });
}
