import type { Context } from 'hono';
import { isTerminal, type Turn } from '#core/turn/turn.ts';

const ACTIVE_MS = 500;
const REQUIRES_ACTION_MS = 5_000;

/** Sets the header that says when to poll again, as long as the turn may change. */
export function setPollAfter(c: Context, { status }: Turn): void {
  if (isTerminal(status)) return;
  c.header('Pawl-Poll-After-Ms', String(status === 'requires_action' ? REQUIRES_ACTION_MS : ACTIVE_MS));
}
