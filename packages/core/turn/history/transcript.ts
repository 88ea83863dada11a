import type { InputMessage, Message } from '../message.ts';
import { answerText, errorResult } from '../tool-result.ts';
import type { Round, Turn } from '../turn.ts';

/** The part of a turn that the transcript needs; earlier turns are loaded with no more than this. */
type TranscriptTurn = Pick<Turn, 'config' | 'input' | 'rounds' | 'output'>;

/**
 * Expands turns into the history that a provider gets. For each round that is its text and calls in one message, the
 * results in the order of the calls, then the final text. Every call is answered exactly once, directly after its
 * round.
 */
export function transcriptOf(turns: readonly TranscriptTurn[]): Message[] {
  return turns.flatMap((turn) => [
    ...turn.input.map(inputMessage),
    ...turn.rounds.flatMap((round) => roundMessages(round, providerOf(turn.config.model))),
    ...(turn.output ? [finalMessage(turn)] : []),
  ]);
}

function inputMessage({ role, content }: InputMessage): Message {
  return role === 'assistant' ? { role, content, calls: [] } : { role, content };
}

function roundMessages(round: Round, provider: string): Message[] {
  if (round.calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: round.text,
      calls: round.calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
      ...opaqueOf(round, provider),
    },
    ...round.calls.map(({ id, name, result }): Message => {
      const answer = result ?? errorResult({ category: 'cancelled', message: 'The call was not run.', details: {} });
      return { role: 'tool', callId: id, name, content: answerText(answer), isError: answer.status === 'error' };
    }),
  ];
}

function finalMessage({ config, rounds, output }: TranscriptTurn): Message {
  const last = rounds.at(-1);
  const opaque = last && last.calls.length === 0 ? opaqueOf(last, providerOf(config.model)) : {};
  return { role: 'assistant', content: output, calls: [], ...opaque };
}

function opaqueOf(round: Round, provider: string): { opaque?: { provider: string; state: unknown } } {
  return round.opaque === null || round.opaque === undefined ? {} : { opaque: { provider, state: round.opaque } };
}

function providerOf(model: string): string {
  return model.slice(0, model.indexOf('/'));
}
