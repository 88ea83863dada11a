import { isTrouble } from '../faults/fault-kinds.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import { makeRandom, type Random } from '../random.ts';
import type { BatchShare } from '../read-options.ts';
import { isBatchTurn } from './batch-turn.ts';
import type { LoadUrls, Shape, Trouble, TurnPlan } from './turn-plan.ts';
import { turnRequestOf } from './turn-request.ts';
import { writeScript } from './write-script.ts';

export type PlanOptions = {
  seed: number;
  turns: number;
  seconds: number;
  schedule: ScheduledFault[];
  batches?: BatchShare;
} & LoadUrls;

/**
 * The number of turns that carry one trouble, and their distance: a turn with a late first attempt is past the
 * trouble.
 */
const CARRIERS = 3;
const APART_MS = 5_000;

/** Plans all turns, spread evenly. The turns after a trouble carry it. The same options give the same plans. */
export function planTurns({ seed, turns, seconds, schedule, batches, ...urls }: PlanOptions): TurnPlan[] {
  const random = makeRandom(seed ^ 0x5eed);
  const troubles = schedule
    .filter(({ kind }) => isTrouble(kind))
    .flatMap((fault) => {
      const times = fault.kind === 'poison-turn' ? 1 : CARRIERS;
      return Array.from({ length: times }, (_, index) => ({
        ...fault,
        kind: fault.kind as Trouble,
        atMs: Math.max(fault.atMs, Math.min(fault.atMs + index * APART_MS, seconds * 1_000 - APART_MS)),
      }));
    });
  return Array.from({ length: turns }, (_, index) => {
    const atMs = Math.round((seconds * 1_000 * (index + random.next())) / turns);
    const next = troubles.findIndex((trouble) => trouble.atMs <= atMs);
    const [fault] = next < 0 ? [] : troubles.splice(next, 1);
    const trouble = { trouble: fault?.kind ?? null, faultedBy: fault?.number ?? null };
    return planTurn({ number: index + 1, atMs, batches, ...trouble }, urls, random);
  });
}

/** Plans an extra turn, posted at once. The same seed and number give the same plan. */
export function planExtraTurn({ seed, number, atMs, batches }: ExtraTurnOptions, urls: LoadUrls): TurnPlan {
  const random = makeRandom(seed ^ (0xe872a + number));
  return planTurn({ number, atMs, batches, trouble: null, faultedBy: null, shape: 'plain' }, urls, random);
}

type ExtraTurnOptions = { seed: number; number: number; atMs: number; batches?: BatchShare };

type Start = Pick<TurnPlan, 'number' | 'atMs' | 'trouble' | 'faultedBy'> & {
  shape?: Shape;
  batches: BatchShare | undefined;
};

function planTurn({ batches = 'some', ...start }: Start, urls: LoadUrls, random: Random): TurnPlan {
  const drawn = start.shape ?? (start.trouble ? 'plain' : shapeOf(random.next()));
  const shape = batches === 'all' && (drawn === 'response' || drawn === 'limited') ? 'plain' : drawn;
  const isBatched = isBatchTurn({ ...start, shape, batches });
  const hasWebhook = random.next() < 0.4 && shape !== 'response';
  const written = writeScript({ ...start, shape, isBatched, isLong: batches === 'all' }, random);
  return {
    ...start,
    shape,
    followBy: random.next() < 0.7 ? 'stream' : 'poll',
    hasWebhook,
    request: turnRequestOf({ ...start, shape, hasWebhook, isBatched, script: written.script }, urls),
    endings: endingsOf(shape, start.trouble),
    output: written.output,
    scriptedMs: written.scriptedMs,
    cancelAfterMs: random.integer(0, 1_200) * (isBatched ? BATCH_DELAY : 1),
  };
}

/** A round by batch takes longer than another round. */
const BATCH_DELAY = 4;

function shapeOf(chance: number): Shape {
  if (chance < 0.08) return 'ask';
  if (chance < 0.13) return 'cancel';
  if (chance < 0.18) return 'limited';
  if (chance < 0.26) return 'second';
  return chance < 0.36 ? 'response' : 'plain';
}

function endingsOf(shape: Shape, trouble: Trouble | null): string[] {
  if (trouble === 'poison-turn' || trouble === 'provider-garbage') return ['failed'];
  if (shape === 'cancel') return ['cancelled', 'completed'];
  return shape === 'limited' ? ['incomplete'] : ['completed'];
}
