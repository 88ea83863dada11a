import type { Kept } from '../explore/plain-model.ts';

/** A conversation, what was forked from it, and what is left of both. Turns and conversations are named by their index. */
export type LineState = Kept & {
  turns: LineTurn[];
  conversations: Line[];
  /** What a caller has looked up for a create that it has not written yet; only mutants look before they write. */
  looked: (Create & { isFork: boolean }) | null;
  /** The turns that the eraser has found; only a mutant deletes later than it looks. */
  found: number[];
  /** A turn that a caller has found ended and without forks, and is about to remove; only mutants look before they write. */
  removing: { index: number; isForked: boolean } | null;
  /** How often the call that a person allowed was run, and whether its approval is used. */
  runs: number;
  isApprovalUsed: boolean;
};

export type LineTurn = {
  conversation: number;
  position: number;
  status: 'waiting' | 'ended';
  failed: boolean;
  stored: boolean;
  hidden: boolean;
  /** `turns.history_until`: of a hidden turn, the last position whose history it was in. */
  until: number | null;
  /** `turns.deletion`: of one that was removed and is kept by forks, which delete of its conversation that was. */
  deletion: number | null;
  erased: boolean;
  /** Its input answers the call that the first turn ends with: with a result, or by allowing it. */
  answers: boolean;
  /** The turns that were its history when it was started. */
  standsOn: number[];
};

export type Line = {
  forkedFrom: number | null;
  /** `conversations.turns`: the last position that was taken. */
  last: number;
  /** `conversations.deletions`, and how many of its origin's there had been when it was forked. */
  deletions: number;
  forkedAfter: number;
  /** Turns of its origin that were removed before it was forked: none of its turns may be told of them. */
  lost: number[];
  isErased: boolean;
  /** `conversations.erase_due_at`. */
  isEraseDue: boolean;
};

/** A create: on a turn (`previous_response_id`), or at the end of the conversation that it names. */
export type Create = { on: number; by: 'turn' | 'conversation'; stored: boolean; answers: boolean };

/** One turn at work, which will end with a call that its caller answers, or that a person has to allow. */
export function firstLine(): Omit<LineState, keyof Kept> {
  return {
    turns: [newLineTurn({ conversation: 0, position: 1 })],
    conversations: [newLine({ forkedFrom: null, last: 1 })],
    ...{ looked: null, found: [], removing: null, runs: 0, isApprovalUsed: false },
  };
}

/** A conversation that has just been begun. */
export function newLine(begun: Pick<Line, 'forkedFrom' | 'last'>): Line {
  return { ...begun, deletions: 0, forkedAfter: 0, lost: [], isErased: false, isEraseDue: false };
}

/** A turn that has just been started. */
export function newLineTurn(at: Pick<LineTurn, 'conversation' | 'position'>): LineTurn {
  return {
    ...at,
    ...{ status: 'waiting', failed: false, stored: true, hidden: false, until: null, deletion: null },
    ...{ erased: false, answers: false, standsOn: [] },
  };
}

/** Whether callers find a turn. */
export function isFound({ stored, hidden, erased }: LineTurn): boolean {
  return stored && !hidden && !erased;
}
