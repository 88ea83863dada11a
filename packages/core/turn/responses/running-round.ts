import type { Turn } from '../turn.ts';
import { itemIdOf } from './item-id.ts';
import { itemPieces, unfinished } from './item-pieces.ts';
import { handsOutState, type OutputItem, partsOf, reasoningItem, showsReasoning } from './output-item.ts';
import type { ResponsePiece } from './piece.ts';

/**
 * The known part of a round while the model writes it, in UTF-16 units. `reasoningLength` is the length of the
 * reasoning before the first text or call, once that has begun. `refusalFrom` is the start of a refusal in the text.
 */
export type RunningRound = {
  round: number;
  reasoning: string;
  reasoningLength: number | null;
  text: string;
  refusalFrom: number | null;
};

/** A running round with the draft number of its run's text, and its attempt. */
export type RunningReply = RunningRound & { draft: number; attempt: number };

/** Returns the pieces of a running round: the first pieces of the committed round, if the model continues like this. */
export function runningPieces(turn: Turn, running: RunningRound, outputIndex: number): ResponsePiece[] {
  const { round, reasoning, reasoningLength, text } = running;
  const length = showsReasoning(turn) ? (reasoningLength ?? reasoning.length) : 0;
  const isDoneLate = handsOutState(turn);
  if (length === 0 && !isDoneLate) return messagePieces(turn, running, outputIndex);
  if (reasoning === '' && (length > 0 || text === '')) return [];
  const isOpen = length > 0 && (reasoningLength === null ? text === '' : reasoning.length < reasoningLength);
  const placed = { item: reasoningItem(turn.id, round, reasoning.slice(0, length)), outputIndex, isOpen };
  const before = isDoneLate ? unfinished(placed) : itemPieces(placed);
  return isOpen ? before : [...before, ...messagePieces(turn, running, outputIndex + 1)];
}

function messagePieces(turn: Turn, { round, text, refusalFrom }: RunningRound, outputIndex: number): ResponsePiece[] {
  if (text === '') return [];
  const id = itemIdOf(turn.id, { kind: 'round', prefix: 'msg', round, call: null });
  const hasRefusal = refusalFrom !== null && refusalFrom < text.length;
  const content = partsOf(text, hasRefusal ? refusalFrom : null);
  const item: OutputItem = { id, type: 'message', role: 'assistant', status: 'completed', content };
  return itemPieces({ item, outputIndex, isOpen: true });
}
