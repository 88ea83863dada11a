import type { Turn } from '../state.ts';

/** The guard of every write to a turn: it has a row of `work` (`rows/turn.ts`) exactly while it is active. */
export function isActive({ status }: Turn): boolean {
  return status === 'queued' || status === 'in_progress' || status === 'requires_action';
}
