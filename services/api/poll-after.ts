import type { Context } from 'hono';
import { isTerminal, type Turn } from '#core/turn/turn.ts';

const SOON_MS = 500;
const PARKED_MS = 5_000;

/** Tells a polling client when to ask again, as long as there is something to ask for. */
export function setPollAfter(c: Context, { status }: Turn): void {
  if (isTerminal(status)) return;
  c.header('Pawl-Poll-After-Ms', String(status === 'requires_action' ? PARKED_MS : SOON_MS));
}
