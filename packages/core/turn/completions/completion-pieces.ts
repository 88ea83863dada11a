import type { Piece } from '../responses/piece.ts';
import type { RunningRound } from '../responses/running-round.ts';
import type { Round, Turn } from '../turn.ts';
import {
  BETWEEN_ROUNDS,
  type CompletionCall,
  type CompletionTexts,
  clientCalls,
  textsOf,
  usesFunctions,
} from './completion-message.ts';

/** The part of a message that a chunk of a completion's stream adds. */
export type CompletionDelta =
  | { type: 'reasoning_content' | 'content' | 'refusal'; delta: string }
  | { type: 'tool_call'; index: number; call: CompletionCall }
  | { type: 'function_call'; call: { name: string; arguments: string } };

type Pieces = Piece<CompletionDelta>[];

/** Returns the pieces of a committed round: its reasoning, text, refusal and calls for the client. */
export function committedPieces(turn: Turn, round: Round): Pieces {
  const isLast = round.number === turn.rounds.length;
  return [...saidPieces(textsOf(turn, round), before(turn, round.number)), ...(isLast ? callPieces(turn) : [])];
}

/** Returns the first pieces of the same round while the model writes it. */
export function runningPieces(turn: Turn, running: RunningRound): Pieces {
  const { round, text, reasoningLength, refusalFrom } = running;
  const length = reasoningLength ?? running.reasoning.length;
  const reasoning = running.reasoning.slice(0, length);
  // Text that arrives before the end of its reasoning waits for the reasoning.
  const isThinking = reasoning.length < length || (length > 0 && reasoningLength === null && text === '');
  const shown = isThinking ? '' : text;
  const start = refusalFrom ?? shown.length;
  const refusal = shown.length > start ? shown.slice(start) : null;
  return saidPieces({ reasoning, text: shown.slice(0, start), refusal }, before(turn, round));
}

/** The facts about earlier rounds that decide about a separator. */
type Before = { hasReasoning: boolean; hasText: boolean };

function before(turn: Turn, number: number): Before {
  const said = turn.rounds.filter((round) => round.number < number).map((round) => textsOf(turn, round));
  return {
    hasReasoning: said.some(({ reasoning }) => reasoning !== ''),
    hasText: said.some(({ text }) => text !== ''),
  };
}

function saidPieces({ reasoning, text, refusal }: CompletionTexts, { hasReasoning, hasText }: Before): Pieces {
  return [
    ...textPieces('reasoning_content', reasoning, hasReasoning),
    ...textPieces('content', text, hasText),
    ...textPieces('refusal', refusal ?? '', false),
  ];
}

function textPieces(type: 'reasoning_content' | 'content' | 'refusal', text: string, follows: boolean): Pieces {
  if (text === '') return [];
  return [{ kind: 'text', event: { type, delta: '' }, text: follows ? `${BETWEEN_ROUNDS}${text}` : text }];
}

function callPieces(turn: Turn): Pieces {
  const calls = clientCalls(turn);
  const [first] = calls;
  if (usesFunctions(turn) && first?.type === 'function') {
    return [{ kind: 'event', event: { type: 'function_call', call: first.function } }];
  }
  return calls.map((call, index) => ({ kind: 'event', event: { type: 'tool_call', index, call } }));
}
