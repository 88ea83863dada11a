import type { Turn } from '../state.ts';

/**
 * Models the guard of every write to a turn: a turn has a row of `work` exactly while it is active (`rows/turn.ts`).
 */
export function isActive({ status }: Turn): boolean {
  return status === 'queued' || status === 'in_progress' || status === 'requires_action';
}
