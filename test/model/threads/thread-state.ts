import type { Kept } from '../explore/plain-model.ts';

/** A conversation, its forks, and the remaining rows of all. The index of a turn or a conversation is its name. */
export type ThreadState = Kept & {
  turns: ThreadTurn[];
  conversations: Conversation[];
  /** A create that a caller has resolved and not written yet. Only mutants look before they write. */
  looked: (Create & { isFork: boolean }) | null;
  /** The turns that the eraser has found. Only a mutant deletes in a later step. */
  found: number[];
  /**
   * A turn that a caller has found ended and will remove. Only mutants read in one step and write in a later step.
   */
  removing: { index: number; isForked: boolean } | null;
  /** How often the call that a person allowed has run, and whether its approval is used. */
  runs: number;
  isApprovalUsed: boolean;
};

export type ThreadTurn = {
  conversation: number;
  position: number;
  status: 'waiting' | 'ended';
  failed: boolean;
  stored: boolean;
  hidden: boolean;
  /** `turns.history_until`: for a hidden turn, the last position that has it in its history. */
  until: number | null;
  /** `turns.deletion`: for a removed turn that forks keep, the number of that deletion in its conversation. */
  deletion: number | null;
  erased: boolean;
  /** Whether its input answers the last call of the first turn: with a result, or with an approval. */
  answers: boolean;
  /** The turns that were its history when it was started. */
  basedOn: number[];
};

export type Conversation = {
  forkedFrom: number | null;
  /** `conversations.turns`: the last position that a turn has taken. */
  last: number;
  /** `conversations.deletions`, and the number of deletions in its origin when it was forked. */
  deletions: number;
  forkedAfter: number;
  /** Turns of its origin that were removed before the fork. No turn of the fork may be sent with them. */
  lost: number[];
  isErased: boolean;
  /** `conversations.erase_due_at`. */
  isEraseDue: boolean;
};

/** A create: after a turn (`previous_response_id`), or at the end of the conversation that it names. */
export type Create = { on: number; by: 'turn' | 'conversation'; stored: boolean; answers: boolean };

/** Returns one running turn, which ends with a call that its caller answers or a person allows. */
export function firstThread(): Omit<ThreadState, keyof Kept> {
  return {
    turns: [newThreadTurn({ conversation: 0, position: 1 })],
    conversations: [newConversation({ forkedFrom: null, last: 1 })],
    ...{ looked: null, found: [], removing: null, runs: 0, isApprovalUsed: false },
  };
}

export function newConversation(begun: Pick<Conversation, 'forkedFrom' | 'last'>): Conversation {
  return { ...begun, deletions: 0, forkedAfter: 0, lost: [], isErased: false, isEraseDue: false };
}

export function newThreadTurn(at: Pick<ThreadTurn, 'conversation' | 'position'>): ThreadTurn {
  return {
    ...at,
    ...{ status: 'waiting', failed: false, stored: true, hidden: false, until: null, deletion: null },
    ...{ erased: false, answers: false, basedOn: [] },
  };
}

export function isFound({ stored, hidden, erased }: ThreadTurn): boolean {
  return stored && !hidden && !erased;
}
