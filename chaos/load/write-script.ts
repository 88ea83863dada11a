import type { z } from 'zod';
import type { Script } from '#simulator/script.ts';
import type { Random } from '../random.ts';
import type { TurnPlan } from './turn-plan.ts';

export type Scripted = Pick<TurnPlan, 'output' | 'scriptedMs'> & { script: z.input<typeof Script> };
type Scene = NonNullable<z.input<typeof Script>['rounds']>[number];
type Fault = NonNullable<Scene['fault']>;
type Wish = Pick<TurnPlan, 'number' | 'shape' | 'trouble'>;

/** Tools of the load, by what a crash in their middle means. */
const TOOLS = ['book', 'note', 'look'] as const;
/** Tries of the first round that a trouble spoils, whoever makes them; a turn has five in all. */
export const FAILING_TRIES = 3;

const LIMITED_ROUNDS = 4;

/** Writes what the model does in one turn: rounds with calls, the answer, and what goes wrong. */
export function writeScript(wish: Wish, random: Random): Scripted {
  if (wish.trouble === 'poison-turn') return poison(wish.number);
  const rounds = wish.shape === 'limited' ? LIMITED_ROUNDS : random.integer(wish.shape === 'ask' ? 1 : 0, 3);
  const scenes = Array.from({ length: rounds }, (_, index) => writeRound(wish, index + 1, random));
  const output = `This was turn ${wish.number}.`;
  const final = { think_ms: random.integer(80, 500), pace_ms: random.integer(0, 30) };
  const script = { rounds: scenes.map(({ scene }) => scene), answer: output, final };
  const scriptedMs = scenes.reduce((sum, { ms }) => sum + ms, final.think_ms);
  return { script: withTrouble(script, wish), output, scriptedMs };
}

function writeRound({ number, shape }: Wish, round: number, random: Random): { scene: Scene; ms: number } {
  const think = random.integer(80, 600);
  const calls = Array.from({ length: random.integer(1, 3) }, (_, index) => ({
    name: random.pick(TOOLS) as string,
    arguments: { mark: `${number}.${round}.${index}`, wait_ms: random.integer(20, 400) },
  }));
  const asked = { name: 'ask_user', arguments: { mark: `${number}.${round}.ask` } };
  const tools = shape === 'ask' && round === 1 ? [...calls, asked] : calls;
  const ms = think + Math.max(...calls.map((call) => call.arguments.wait_ms));
  return { scene: { say: `Round ${round}.`, think_ms: think, tools }, ms };
}

/** The trouble comes in the first round that is asked; `times` leaves room for a later try to succeed. */
function withTrouble(script: Scripted['script'], { trouble }: Wish): Scripted['script'] {
  const fault = faultOf(trouble);
  if (!fault) return script;
  const [first, ...others] = script.rounds ?? [];
  if (!first) return { ...script, final: { ...script.final, fault } };
  return { ...script, rounds: [{ ...first, fault }, ...others] };
}

function faultOf(trouble: TurnPlan['trouble']): Fault | null {
  switch (trouble) {
    case 'provider-429':
      return { kind: 'status', status: 429, retry_after: 1, times: FAILING_TRIES };
    case 'provider-503':
      return { kind: 'status', status: 503, times: FAILING_TRIES };
    case 'provider-hang':
      return { kind: 'hang', times: FAILING_TRIES };
    case 'provider-cut':
      // Fifteen characters are within the first call's arguments, or within the answer where there are no calls.
      return { kind: 'cut', after_chars: 15, times: FAILING_TRIES };
    case 'provider-drip':
      return { kind: 'drip', times: FAILING_TRIES };
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
