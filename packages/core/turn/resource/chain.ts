import { responseIdOf } from '../responses/item-id.ts';
import type { TurnStatus } from '../turn.ts';
import { iso } from './iso.ts';

/** A turn next to another turn in a chain. `preview` is the beginning of its last user message. */
export type ChainedTurn = {
  id: string;
  conversationId: string;
  isResponse: boolean;
  status: TurnStatus;
  preview: string | null;
  createdAt: string;
};

/** `forks` are the newest of `forkCount`. `continuedBy` are the newest chat completions that continue the turn. */
export type Chain = {
  previous: ChainedTurn | null;
  next: ChainedTurn | null;
  forks: ChainedTurn[];
  forkCount: number;
  continuedBy: ChainedTurn[];
};

export type ChainResource = ReturnType<typeof presentChain>;

export function presentChain({ previous, next, forks, forkCount, continuedBy }: Chain) {
  return {
    object: 'chain' as const,
    previous: previous && presentChained(previous),
    next: next && presentChained(next),
    forks: forks.map(presentChained),
    forks_count: forkCount,
    continued_by: continuedBy.map(presentChained),
  };
}

function presentChained({ id, conversationId, isResponse, status, preview, createdAt }: ChainedTurn) {
  return {
    id,
    conversation_id: conversationId,
    response_id: isResponse ? responseIdOf(id) : null,
    status,
    preview,
    created_at: iso(createdAt),
  };
}
