import type { z } from 'zod';
import type { Script } from '#simulator/script.ts';
import type { Random } from '../random.ts';
import type { BatchShare } from '../read-options.ts';
import type { TurnPlan } from './turn-plan.ts';

type WrittenScript = z.input<typeof Script>;
type Reply = NonNullable<WrittenScript['rounds']>[number];

/** The turns out of sixteen that are asked by batch, an odd and an even number. */
const NUMBERS = [7, 12];

/** A model on each wire that has a batch API. Only turns by batch have these models. */
const MODELS = ['openai/batched', 'responses/batched', 'messages/batched', 'contents/batched'] as const;

type Numbered = Pick<TurnPlan, 'number'>;

/** Returns whether a turn is asked by batch: every eighth turn, or all turns, unless it has another purpose. */
export function isBatchTurn(plan: Pick<TurnPlan, 'number' | 'shape' | 'trouble'> & { batches: BatchShare }): boolean {
  const { number, shape, trouble, batches } = plan;
  return (batches === 'all' || NUMBERS.includes(number % 16)) && shape !== 'response' && trouble === null;
}

/** Returns the model and the tier of a turn by batch. Turns with an odd number may leave the tier. */
export function batchRequestOf({ number }: Numbered) {
  const model = MODELS[Math.floor(number / 8) % MODELS.length]!;
  return { model, service_tier: 'batch', ...(mayLeave({ number }) ? { tier_fallback: 'default' } : {}) };
}

function mayLeave({ number }: Numbered): boolean {
  return number % 2 === 1;
}

const SHARE = 0.1;
const LONGEST_MS = 1_500;

/** Adds the times of batches to a script, and a failure of the provider to each tenth request. */
export function withBatches(script: WrittenScript, plan: Numbered, random: Random): WrittenScript {
  const withFailure = <Any extends Reply>(reply: Any): Any => {
    const delay_ms = random.integer(100, LONGEST_MS);
    const failure = random.next() < SHARE ? failureOf(plan, random) : {};
    return { ...reply, ...failure, batch: { delay_ms, ...failure.batch } };
  };
  return { ...script, rounds: (script.rounds ?? []).map(withFailure), final: withFailure(script.final ?? {}) };
}

/** The first attempts, and all attempts before a round leaves its tier. */
const ONCE = { times: 1 };
const ALWAYS = { times: 3 };

/** Picks a failure of a request in its batch, or of the whole batch. A round that leaves the tier fails three times. */
function failureOf(plan: Numbered, random: Random): Pick<Reply, 'batch' | 'fault'> {
  const times = mayLeave(plan) && random.next() < 0.5 ? ALWAYS : ONCE;
  return random.pick<() => Pick<Reply, 'batch' | 'fault'>>([
    () => ({ batch: { end: 'expired', ...times } }),
    () => ({ batch: { end: 'missing', ...ONCE } }),
    () => ({ fault: { kind: 'status', status: 500, service_tier: 'batch', ...times } }),
    () => ({ batch: { refuse: true, ...ONCE } }),
    () => ({ batch: { lose_answer: true, ...ONCE } }),
    () => ({ batch: { cut_results: true, ...ONCE } }),
  ])();
}
