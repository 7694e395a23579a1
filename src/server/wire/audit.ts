// An audit entry as the wire shows it.
import type { AuditEntry } from '../../engine/records.ts';
import { time } from './json.ts';

export function auditView({ at, principal, action, queue, target, details }: AuditEntry) {
  return { at: time(at), principal, action, queue, target, details };
}
