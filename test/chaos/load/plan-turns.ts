import type { ScheduledFault } from '../faults/schedule.ts';
import { makeRandom, type Random } from '../random.ts';
import type { LoadUrls, Shape, Trouble, TurnPlan } from './turn-plan.ts';
import { turnRequestOf } from './turn-request.ts';
import { writeScript } from './write-script.ts';

export type PlanOptions = {
  seed: number;
  turns: number;
  seconds: number;
  schedule: ScheduledFault[];
} & LoadUrls;

/**
 * The number of turns that carry one trouble, and their distance: a turn with a late first attempt is past the
 * trouble.
 */
const CARRIERS = 3;
const APART_MS = 5_000;

/** Plans all turns, spread evenly. The turns after a trouble carry it. The same options give the same plans. */
export function planTurns({ seed, turns, seconds, schedule, ...urls }: PlanOptions): TurnPlan[] {
  const random = makeRandom(seed ^ 0x5eed);
  const troubles = schedule.filter(isTrouble).flatMap((fault) => {
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
    return planTurn({ number: index + 1, atMs, ...trouble }, urls, random);
  });
}

/** Plans an extra turn, posted at once. The same seed and number give the same plan. */
export function planExtraTurn({ seed, number, atMs }: ExtraTurnOptions, urls: LoadUrls): TurnPlan {
  const random = makeRandom(seed ^ (0xe872a + number));
  return planTurn({ number, atMs, trouble: null, faultedBy: null, shape: 'plain' }, urls, random);
}

type ExtraTurnOptions = { seed: number; number: number; atMs: number };

/** Returns whether a fault is a trouble of turns, and does not break a part or a store. */
function isTrouble({ kind }: Pick<ScheduledFault, 'kind'>): boolean {
  return kind.startsWith('provider-') || kind === 'poison-turn';
}

type Start = Pick<TurnPlan, 'number' | 'atMs' | 'trouble' | 'faultedBy'> & { shape?: Shape };

function planTurn(start: Start, urls: LoadUrls, random: Random): TurnPlan {
  const shape = start.shape ?? (start.trouble ? 'plain' : shapeOf(random.next()));
  const hasWebhook = random.next() < 0.4 && shape !== 'response';
  const written = writeScript({ ...start, shape }, random);
  return {
    ...start,
    shape,
    followBy: random.next() < 0.7 ? 'stream' : 'poll',
    hasWebhook,
    request: turnRequestOf({ ...start, shape, hasWebhook, script: written.script }, urls),
    endings: endingsOf(shape, start.trouble),
    output: written.output,
    scriptedMs: written.scriptedMs,
    cancelAfterMs: random.integer(0, 1_200),
  };
}

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
