import { readStep } from '../step.ts';
import { isTerminal, type Round, type ToolCall, type Turn } from '../turn.ts';
import { itemPieces, resultPieces, roundPieces } from './item-pieces.ts';
import { adoptedItems, handsOutState, type OutputItem, roundItems } from './output-item.ts';
import { type ResponsePiece, sizeOfPieces } from './piece.ts';
import { presentResponse } from './present.ts';
import { responseStatus } from './status.ts';

/** The numbers of one draft, which are more than any reply needs. */
export const DRAFT_SIZE = 2 ** 24;

/**
 * A section of a response's log: its beginning with adopted calls, a committed round with the results of its calls,
 * or its end. `from` is the number of its first unit. `isWhole`: the section is complete. `next` is the position after
 * the section.
 */
export type LogSection = {
  from: number;
  round: Round | null;
  pieces: ResponsePiece[];
  isWhole: boolean;
  isEnd: boolean;
  next: LogPosition;
};

/** A position in the log, between two sections: the number of rounds and items before it, and the next number. */
export type LogPosition = { rounds: number | null; items: number; number: number };

/** The position before all events. */
export const LOG_START: LogPosition = { rounds: null, items: 0, number: 0 };

/** The order in which the calls of a round were answered: their indexes, from the durable events. */
export type ResultOrder = (round: number) => readonly number[];

/**
 * Returns the committed section of a response's log after a position, or undefined without a section yet. Every process
 * derives the same section with the same numbers from the same rows.
 */
export function readSection(turn: Turn, position: LogPosition, orderOf: ResultOrder): LogSection | undefined {
  if (position.rounds === null) return beginning(turn, orderOf);
  const round = turn.rounds[position.rounds];
  if (round) return roundSection(turn, { round, position, order: orderOf(round.number) });
  return isTerminal(turn.status) ? ending(turn, position) : undefined;
}

function beginning(turn: Turn, orderOf: ResultOrder): LogSection {
  const hasBegun = turn.startedAt !== null;
  const isEnded = isTerminal(turn.status);
  const queued: Turn = { ...turn, ...UNTOUCHED, status: 'queued' };
  const started: Turn = { ...queued, status: 'in_progress', startedAt: turn.startedAt };
  const isBackground = turn.config.response?.background ?? true;
  const pieces = [
    snapshot('response.created', queued),
    isBackground ? snapshot('response.queued', queued) : SILENCE,
    ...(hasBegun ? [snapshot('response.in_progress', started)] : []),
    ...(!hasBegun && isEnded ? [SILENCE] : []),
    ...(hasBegun || isEnded ? adoptedPieces(turn, orderOf) : []),
  ];
  const isWhole = (hasBegun || isEnded) && turn.adopted.every(({ result }) => result !== null);
  const next = { rounds: 0, items: turn.adopted.length, number: sizeOfPieces(pieces) };
  return { from: 0, round: null, pieces, isWhole, isEnd: false, next };
}

/** The fields of a turn before any work. */
const UNTOUCHED = {
  ...{ adopted: [], rounds: [], compactions: [], output: null, error: null, incompleteReason: null },
  ...{ startedAt: null, completedAt: null },
};

/** Returns the pieces of adopted calls, which belong to the beginning, with their results so far. */
function adoptedPieces(turn: Turn, orderOf: ResultOrder): ResponsePiece[] {
  if (turn.adopted.length === 0) return [];
  const placed = adoptedItems(turn).map((item, outputIndex) => ({ item, outputIndex }));
  return [...placed.flatMap((each) => itemPieces(each)), ...resultsOf(placed, turn.adopted, orderOf(0))];
}

const SILENCE: ResponsePiece = { kind: 'silence' };

type RoundPlace = { round: Round; position: LogPosition; order: readonly number[] };

function roundSection(turn: Turn, { round, position, order }: RoundPlace): LogSection {
  const items = roundItems(turn, round);
  const placed = items.map((item, index) => ({ item, outputIndex: position.items + index }));
  const called = placed.slice(placed.length - round.calls.length);
  const ofRound = roundPieces(placed, { isDoneLate: handsOutState(turn) });
  const pieces = [...ofRound, ...resultsOf(called, round.calls, order)];
  const from = draftStart(position, round.draft);
  const next = {
    rounds: (position.rounds ?? 0) + 1,
    items: position.items + items.length,
    number: from + sizeOfPieces(pieces),
  };
  return { from, round, pieces, isWhole: round.calls.every(({ result }) => result !== null), isEnd: false, next };
}

/** Returns the first number of a draft of the round at a position. */
export function draftStart({ number }: LogPosition, draft: number): number {
  return number + draft * DRAFT_SIZE;
}

/** Returns the results of `placed` calls that Pawl ran, in the order of their durable events. */
function resultsOf(
  placed: { item: OutputItem; outputIndex: number }[],
  calls: ToolCall[],
  order: readonly number[],
): ResponsePiece[] {
  const known = placed.flatMap(({ item, outputIndex }, index) =>
    item.type === 'mcp_call' && calls[index]?.result ? [{ item, outputIndex, index }] : [],
  );
  const rankOf = (index: number) => (order.includes(index) ? order.indexOf(index) : order.length + index);
  const ordered = known.toSorted((a, b) => rankOf(a.index) - rankOf(b.index));
  return ordered.flatMap(({ item, outputIndex }) => resultPieces(item, outputIndex));
}

function ending(turn: Turn, position: LogPosition): LogSection {
  const status = responseStatus(turn);
  const type = status === 'cancelled' ? 'response.incomplete' : `response.${status}`;
  const from = position.number + unfinished(turn);
  const next = { ...position, number: from + 1 };
  return { from, round: null, pieces: [snapshot(type, turn)], isWhole: true, isEnd: true, next };
}

/**
 * Returns the numbers to skip before the end of a turn that ended during a round: the numbers of its drafts. The
 * end has the last number of the last draft, which a retry does not use again.
 */
function unfinished({ status, startedAt, rounds, work }: Turn): number {
  const step = readStep(work.step);
  const isOpen = startedAt !== null && status !== 'completed' && step.kind === 'round' && rounds.length < step.round;
  return (isOpen || status === 'failed') && work.draft > 0 ? work.draft * DRAFT_SIZE - 1 : 0;
}

function snapshot(type: string, turn: Turn): ResponsePiece {
  return { kind: 'event', event: { type, response: presentResponse(turn) } };
}
