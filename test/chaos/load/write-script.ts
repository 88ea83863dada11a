import type { z } from 'zod';
import type { Script } from '#simulator/script.ts';
import type { Random } from '../random.ts';
import { withBatches } from './batch-turn.ts';
import { flexRefusal, isFlexTurn } from './flex-turn.ts';
import { callIdOf } from './play-response.ts';
import type { TurnPlan } from './turn-plan.ts';

export type Scripted = Pick<TurnPlan, 'output' | 'scriptedMs'> & { script: z.input<typeof Script> };
type ScriptedReply = NonNullable<z.input<typeof Script>['rounds']>[number];
type Fault = NonNullable<ScriptedReply['fault']>;
/** A long turn has the same number of rounds as each other long turn. */
type ScriptOptions = Pick<TurnPlan, 'number' | 'shape' | 'trouble'> & { isBatched: boolean; isLong: boolean };

/** Tools of the load, by the effect of a crash in their middle. */
const TOOLS = ['book', 'note', 'look'] as const;
/** The number of attempts of the first round that a trouble fails. A turn has five. */
export const FAILING_ATTEMPTS = 3;

const LIMITED_ROUNDS = 4;
const LONG_ROUNDS = 3;

/** Writes the script of one turn: rounds with calls, the answer, and the failures. */
export function writeScript(options: ScriptOptions, random: Random): Scripted {
  if (options.trouble === 'poison-turn') return poison(options.number);
  const rounds = countRounds(options, random);
  const replies = Array.from({ length: rounds }, (_, index) => writeRound(options, index + 1, random));
  if (options.shape === 'response') replies.push(handOver(options.number, rounds + 1));
  const answer = `This was turn ${options.number}.`;
  const output = options.shape === 'response' ? sayOf(rounds + 1) : answer;
  const final = { think_ms: random.integer(80, 500), pace_ms: random.integer(0, 30) };
  const script = { rounds: replies.map(({ reply }) => reply), answer, final };
  const scriptedMs = replies.reduce((sum, { ms }) => sum + ms, final.think_ms);
  if (options.isBatched) return { script: withBatches(script, options, random), output, scriptedMs };
  return { script: withTrouble(script, options), output, scriptedMs };
}

/** Returns the number of rounds with calls. */
function countRounds({ shape, isLong }: ScriptOptions, random: Random): number {
  if (isLong) return LONG_ROUNDS;
  return shape === 'limited' ? LIMITED_ROUNDS : random.integer(shape === 'ask' ? 1 : 0, 3);
}

function writeRound(
  { number, shape }: Pick<ScriptOptions, 'number' | 'shape'>,
  round: number,
  random: Random,
): { reply: ScriptedReply; ms: number } {
  const think = random.integer(80, 600);
  const calls = Array.from({ length: random.integer(1, 3) }, (_, index) => ({
    name: random.pick(TOOLS) as string,
    arguments: { mark: `${number}.${round}.${index}`, wait_ms: random.integer(20, 400) },
  }));
  const question = { name: 'ask_user', arguments: { mark: `${number}.${round}.ask` } };
  const tools = shape === 'ask' && round === 1 ? [...calls, question] : calls;
  const ms = think + Math.max(...calls.map((call) => call.arguments.wait_ms));
  return { reply: { say: sayOf(round), think_ms: think, tools }, ms };
}

/**
 * Makes a round that asks only for a call of the caller, who answers in the next response, and for a call that a
 * person must allow. It is slow enough to be sent in pieces.
 */
function handOver(number: number, round: number): { reply: ScriptedReply; ms: number } {
  const tools = [
    { name: 'ask_user', id: callIdOf({ number }), arguments: { mark: `${number}.${round}.ask` } },
    { name: 'pay', arguments: { mark: `${number}.${round}.pay`, wait_ms: 300 } },
  ];
  const reasoning = 'The caller may know what is to be done here.';
  return { reply: { reasoning, say: sayOf(round), tools, pace_ms: 30, piece_chars: 4 }, ms: 500 };
}

function sayOf(round: number): string {
  return `Round ${round}.`;
}

/** Adds the trouble to the first round. `times` leaves a later attempt that succeeds. */
function withTrouble(script: Scripted['script'], options: ScriptOptions): Scripted['script'] {
  const fault = isFlexTurn(options) ? flexRefusal(options) : faultOf(options.trouble);
  if (!fault) return script;
  const [first, ...others] = script.rounds ?? [];
  if (!first) return { ...script, final: { ...script.final, fault } };
  return { ...script, rounds: [{ ...first, fault }, ...others] };
}

function faultOf(trouble: TurnPlan['trouble']): Fault | null {
  switch (trouble) {
    case 'provider-429':
      return { kind: 'status', status: 429, retry_after: 1, times: FAILING_ATTEMPTS };
    case 'provider-503':
      return { kind: 'status', status: 503, times: FAILING_ATTEMPTS };
    case 'provider-hang':
      return { kind: 'hang', times: FAILING_ATTEMPTS };
    case 'provider-cut':
      // Fifteen characters are within the first call's arguments, or within the answer if there are no calls.
      return { kind: 'cut', after_chars: 15, times: FAILING_ATTEMPTS };
    case 'provider-drip':
      return { kind: 'drip', times: FAILING_ATTEMPTS };
    case 'provider-garbage':
      return { kind: 'garbage' };
    default:
      return null;
  }
}

function poison(number: number): Scripted {
  const output = `This was turn ${number}.`;
  const rounds = [{ say: 'This will hurt.', tools: [{ name: 'crash_worker', arguments: {} }] }];
  return { script: { rounds, answer: output }, output, scriptedMs: 0 };
}
