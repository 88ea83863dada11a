import type { HostedCall } from '../hosted/hosted.ts';
import type { Turn } from '../turn.ts';
import { hostedItem, mayRunHosted, showsOutput } from './hosted/hosted-item.ts';
import { itemIdOf } from './item-id.ts';
import { itemPieces, unfinished } from './item-pieces.ts';
import { handsOutState, type OutputItem, partsOf, reasoningItem, showsReasoning } from './output-item.ts';
import type { ResponsePiece } from './piece.ts';

/**
 * The known part of a round while the model writes it, in UTF-16 units. `reasoningLength` is the length of the
 * reasoning before the first text or call, once that has begun. `refusalFrom` is the start of a refusal in the text.
 * `hosted` are the calls of hosted tools so far, in the order of their starts.
 */
export type RunningRound = {
  round: number;
  reasoning: string;
  reasoningLength: number | null;
  text: string;
  refusalFrom: number | null;
  hosted: readonly HostedCall[];
};

/** A running round with the draft number of its run's text, and its attempt. */
export type RunningReply = RunningRound & { draft: number; attempt: number };

/** Returns the pieces of a running round: the first pieces of the committed round, if the model continues like this. */
export function runningPieces(turn: Turn, running: RunningRound, outputIndex: number): ResponsePiece[] {
  const { round, reasoning, reasoningLength, text, hosted } = running;
  const hasBegun = text !== '' || hosted.length > 0;
  const length = showsReasoning(turn) ? (reasoningLength ?? reasoning.length) : 0;
  const isDoneLate = handsOutState(turn);
  if (length === 0 && !isDoneLate) return spokenPieces(turn, running, outputIndex);
  if (reasoning === '' && (length > 0 || !hasBegun)) return [];
  const isOpen = length > 0 && (reasoningLength === null ? !hasBegun : reasoning.length < reasoningLength);
  const placed = { item: reasoningItem(turn.id, round, reasoning.slice(0, length)), outputIndex, isOpen };
  const before = isDoneLate ? unfinished(placed) : itemPieces(placed);
  return isOpen ? before : [...before, ...spokenPieces(turn, running, outputIndex + 1)];
}

/**
 * Returns the pieces after the reasoning: the calls of hosted tools, or the message. The message of a turn with hosted
 * tools waits for its commit, because a further call precedes it.
 */
function spokenPieces(turn: Turn, running: RunningRound, outputIndex: number): ResponsePiece[] {
  if (!mayRunHosted(turn)) return messagePieces(turn, running, outputIndex);
  const { round, hosted } = running;
  const open = hosted.findIndex((call) => !isWhole(turn, call));
  const shown = open === -1 ? hosted : hosted.slice(0, open + 1);
  return shown.flatMap((call, index) => {
    const item = hostedItem(turn, call, { round, call: index });
    return itemPieces({ item, outputIndex: outputIndex + index, isOpen: !isWhole(turn, call) });
  });
}

/**
 * Returns whether a call has all that its item needs. The commit of the round adds the rest: an image, and an input or
 * output that a live event may lack because it is large. A provider may also add sources to the output at the end.
 */
function isWhole(turn: Turn, call: HostedCall): boolean {
  if (call.status === 'in_progress' || call.input === null || showsOutput(turn, call)) return false;
  return call.status === 'failed' || call.type !== 'image_generation';
}

function messagePieces(turn: Turn, { round, text, refusalFrom }: RunningRound, outputIndex: number): ResponsePiece[] {
  if (text === '') return [];
  const id = itemIdOf(turn.id, { kind: 'round', prefix: 'msg', round, call: null });
  const hasRefusal = refusalFrom !== null && refusalFrom < text.length;
  const content = partsOf(text, hasRefusal ? refusalFrom : null);
  const item: OutputItem = { id, type: 'message', role: 'assistant', status: 'completed', content };
  return itemPieces({ item, outputIndex, isOpen: true });
}
