import { showsReasoning, textOfRound } from '../responses/output-item.ts';
import type { Piece } from '../responses/piece.ts';
import type { RunningRound } from '../responses/running-round.ts';
import type { Round, Turn } from '../turn.ts';
import type { UiChunk } from './chunk.ts';

/** Returns the first pieces of a message's step: the reasoning and text of a committed round. */
export function stepPieces(turn: Turn, round: Round): Piece<UiChunk>[] {
  const reasoning = sendsReasoning(turn) ? (round.reasoning ?? '') : '';
  return piecesOf(round.number, { reasoning, text: textOfRound(turn, round), open: null });
}

/** Returns the first pieces of the same step while the model writes the round. */
export function runningStepPieces(turn: Turn, running: RunningRound): Piece<UiChunk>[] {
  const { round, text, reasoningLength, hosted } = running;
  const hasBegun = text !== '' || hosted.length > 0;
  const length = reasoningLength ?? running.reasoning.length;
  const reasoning = sendsReasoning(turn) ? running.reasoning.slice(0, length) : '';
  if (reasoning === '') return !hasBegun || isMissing(turn, length) ? [] : open('text');
  const isOpen = reasoningLength === null ? !hasBegun : reasoning.length < reasoningLength;
  return open(isOpen ? 'reasoning' : 'text');

  function open(what: 'reasoning' | 'text'): Piece<UiChunk>[] {
    return piecesOf(round, { reasoning, text, open: what });
  }
}

/** Returns the pieces before the text. Chunks of hosted calls follow them. */
export function headOf(pieces: Piece<UiChunk>[]): Piece<UiChunk>[] {
  const text = pieces.findIndex((piece) => piece.kind === 'event' && piece.event.type === 'text-start');
  return text === -1 ? pieces : pieces.slice(0, text);
}

/** Returns whether the last piece is reasoning that may continue. */
export function isThinking(pieces: Piece<UiChunk>[]): boolean {
  const last = pieces.at(-1);
  return last?.kind === 'text' && last.event.type === 'reasoning-delta';
}

/** Returns whether text arrived before its reasoning, so that the text must wait. */
function isMissing(turn: Turn, length: number): boolean {
  return sendsReasoning(turn) && length > 0;
}

/** Returns whether to send reasoning. The caller of a response decides, and a native turn shows it to all watchers. */
function sendsReasoning(turn: Turn): boolean {
  return !turn.config.response || showsReasoning(turn);
}

type Said = { reasoning: string; text: string; open: 'reasoning' | 'text' | null };

function piecesOf(round: number, { reasoning, text, open }: Said): Piece<UiChunk>[] {
  const thought = partPieces('reasoning', { round, text: reasoning, isOpen: open === 'reasoning' });
  const said = partPieces('text', { round, text, isOpen: open === 'text' });
  return [{ kind: 'event', event: { type: 'start-step' } }, ...thought, ...(open === 'reasoning' ? [] : said)];
}

type Part = { round: number; text: string; isOpen: boolean };

function partPieces(what: 'reasoning' | 'text', { round, text, isOpen }: Part): Piece<UiChunk>[] {
  if (text === '') return [];
  const id = `${what.charAt(0)}${round}`;
  return [
    { kind: 'event', event: { type: `${what}-start`, id } },
    { kind: 'text', event: { type: `${what}-delta`, id, delta: '' }, text },
    ...(isOpen ? [] : [{ kind: 'event' as const, event: { type: `${what}-end` as const, id } }]),
  ];
}
