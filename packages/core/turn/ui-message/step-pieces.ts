import { showsReasoning, textOfRound } from '../responses/output-item.ts';
import type { Piece } from '../responses/piece.ts';
import type { RunningRound } from '../responses/running-round.ts';
import type { Round, Turn } from '../turn.ts';
import type { UiChunk } from './chunk.ts';

/** What a step of a message begins with: what a committed round thought and said. */
export function stepPieces(turn: Turn, round: Round): Piece<UiChunk>[] {
  const reasoning = tellsReasoning(turn) ? (round.reasoning ?? '') : '';
  return piecesOf(round.number, { reasoning, text: textOfRound(turn, round), open: null });
}

/** The same of a running round, as far as it is known: the first ones of the committed round, if the model goes on so. */
export function runningStepPieces(turn: Turn, running: RunningRound): Piece<UiChunk>[] {
  const { round, text, reasoningLength } = running;
  const length = reasoningLength ?? running.reasoning.length;
  const reasoning = tellsReasoning(turn) ? running.reasoning.slice(0, length) : '';
  if (reasoning === '') return text === '' || isMissing(turn, length) ? [] : open('text');
  const isThinking = reasoningLength === null ? text === '' : reasoning.length < reasoningLength;
  return open(isThinking ? 'reasoning' : 'text');

  function open(what: 'reasoning' | 'text'): Piece<UiChunk>[] {
    return piecesOf(round, { reasoning, text, open: what });
  }
}

/** Text that overtook its reasoning waits for it. */
function isMissing(turn: Turn, length: number): boolean {
  return tellsReasoning(turn) && length > 0;
}

/** Who created a response has said whether to see what the model thinks; a native turn shows it to all that watch. */
function tellsReasoning(turn: Turn): boolean {
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
