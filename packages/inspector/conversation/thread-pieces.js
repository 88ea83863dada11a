/** @import { Round } from '../watch/watched-turn.js' */
/** @import { Input, Item } from './watched-thread.js' */

/**
 * A piece of a turn in its thread, from its input to its answer. `work` are rounds that asked for tools, `said` is the text
 * of a round that was to be the answer until an input joined, `unread` stands for rounds that are not read yet.
 * @typedef {{ kind: 'asked', input: Input }
 *   | { kind: 'unread', count: number }
 *   | { kind: 'work', rounds: Round[] }
 *   | { kind: 'joined', round: number, input: Input }
 *   | { kind: 'said', round: number, text: string }
 *   | { kind: 'streaming', round: number, text: string, reasoning: string }
 *   | { kind: 'pending', input: Input }
 *   | { kind: 'answer', text: string, parsed: unknown }} Piece
 */

/**
 * The pieces of a turn in the order in which they came about.
 * @param {Item} item
 * @returns {Piece[]}
 */
export function piecesOf({ turn, rounds, live }) {
  const { input, output, output_parsed: parsed, pending_input: pending, rounds_count: count } = turn;
  /** @type {Piece[]} */
  const pieces = [{ kind: 'asked', input }];
  if (rounds === null && count > 1) pieces.push({ kind: 'unread', count });
  for (const round of rounds ?? []) pieces.push(...roundPieces(round));
  const running = live && turn.completed_at === null && live.round > (rounds?.at(-1)?.number ?? 0) ? live : null;
  if (running && (running.text || running.reasoning)) {
    pieces.push({ kind: 'streaming', round: running.round, text: running.text, reasoning: running.reasoning });
  }
  if (pending.length > 0) pieces.push({ kind: 'pending', input: pending });
  if (output !== null) pieces.push({ kind: 'answer', text: output, parsed });
  return gathered(pieces);
}

/**
 * @param {Round} round
 * @returns {Piece[]}
 */
function roundPieces(round) {
  const { number, input, assistant_response: text, tool_calls: calls } = round;
  /** @type {Piece[]} */
  const pieces = input.length > 0 ? [{ kind: 'joined', round: number, input }] : [];
  if (calls.length > 0) return [...pieces, { kind: 'work', rounds: [round] }];
  return text ? [...pieces, { kind: 'said', round: number, text }] : pieces;
}

/**
 * Rounds of work that follow each other are one piece.
 * @param {Piece[]} pieces
 */
function gathered(pieces) {
  /** @type {Piece[]} */
  const done = [];
  for (const piece of pieces) {
    const last = done.at(-1);
    if (piece.kind === 'work' && last?.kind === 'work') last.rounds.push(...piece.rounds);
    else done.push(piece);
  }
  return done;
}
