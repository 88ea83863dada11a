import type { Turn } from '../state.ts';

/** The guard of every write to a turn, as in `sql/active.ts`. */
export function isActive({ status }: Turn): boolean {
  return status === 'queued' || status === 'in_progress' || status === 'requires_action';
}
