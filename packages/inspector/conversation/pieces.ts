import type { ListedTurn, Round } from '../base/turn.ts';
import type { LiveTurn } from '../watch/live-turn.ts';

export type Input = ListedTurn['input'];

/** A turn with its rounds, if they were read, and with the reply that it streams while it runs. */
export type Item = { turn: ListedTurn; rounds: Round[] | null; live: LiveTurn };

/**
 * A piece of a turn in its thread, from its input to its answer. `work` has rounds with tool calls. `said` has the text
 * of a round that an input superseded. `unread` stands for rounds that the page has not read.
 */
export type Piece =
  | { kind: 'asked'; input: Input }
  | { kind: 'unread'; count: number }
  | { kind: 'work'; rounds: Round[] }
  | { kind: 'joined'; round: number; input: Input }
  | { kind: 'said'; round: number; text: string }
  | { kind: 'streaming'; round: number; text: string; reasoning: string }
  | { kind: 'pending'; input: Input }
  | { kind: 'answer'; text: string; parsed: unknown };

/** The pieces of a turn in the order of the history. */
export function piecesOf({ turn, rounds, live }: Item): Piece[] {
  const { input, output, output_parsed: parsed, pending_input: pending, rounds_count: count } = turn;
  const pieces: Piece[] = [{ kind: 'asked', input }];
  if (rounds === null && count > 1) pieces.push({ kind: 'unread', count });
  for (const round of rounds ?? []) pieces.push(...roundPieces(round));
  const isStreaming = turn.completed_at === null && live.round > (rounds?.at(-1)?.number ?? 0);
  if (isStreaming && (live.text || live.reasoning)) {
    pieces.push({ kind: 'streaming', round: live.round, text: live.text, reasoning: live.reasoning });
  }
  if (pending.length > 0) pieces.push({ kind: 'pending', input: pending });
  if (output !== null) pieces.push({ kind: 'answer', text: output, parsed });
  return gathered(pieces);
}

/** The key of a piece among the pieces of its turn. */
export function keyOf(piece: Piece): string {
  const round = piece.kind === 'work' ? piece.rounds[0]?.number : 'round' in piece && piece.round;
  return `${piece.kind} ${round}`;
}

function roundPieces(round: Round): Piece[] {
  const { number, input, assistant_response: text, tool_calls: calls } = round;
  const pieces: Piece[] = input.length > 0 ? [{ kind: 'joined', round: number, input }] : [];
  if (calls.length > 0) pieces.push({ kind: 'work', rounds: [round] });
  else if (text) pieces.push({ kind: 'said', round: number, text });
  return pieces;
}

/** Makes one piece of consecutive rounds with tool calls. */
function gathered(pieces: Piece[]): Piece[] {
  const done: Piece[] = [];
  for (const piece of pieces) {
    const last = done.at(-1);
    if (piece.kind === 'work' && last?.kind === 'work') last.rounds.push(...piece.rounds);
    else done.push(piece);
  }
  return done;
}
