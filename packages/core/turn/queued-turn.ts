import type { Turn } from './turn.ts';

/** What a turn is started with. */
export type NewTurn = Pick<Turn, 'id' | 'project' | 'conversationId' | 'config' | 'input' | 'priority' | 'metadata'>;

/** What its conversation and the database's clock made of it. */
export type Queued = Pick<Turn, 'position' | 'createdAt'> & { atHead: boolean };

/** A turn that was just recorded, as it would be read now. */
export function queuedTurn(asked: NewTurn, { position, createdAt, atHead }: Queued): Turn {
  const seconds = asked.config.limits.deadline_seconds;
  return {
    ...asked,
    ...{ position, createdAt, status: 'queued', rounds: [], lastEvent: 1, warnings: [], failedRequests: 0 },
    ...{ output: null, error: null, incompleteReason: null, startedAt: null, completedAt: null },
    work: {
      ...{ step: 'r1', ring: 0, atHead, heldBy: null, held: false, quiet: false },
      ...{ overdue: false, deadlineInMs: seconds === null ? null : seconds * 1_000 },
      ...{ starts: 0, attempts: 0, parkedMs: 0 },
      ...{ rateLimited: false, retryAt: null, early: false, waitsSince: createdAt },
    },
  };
}
