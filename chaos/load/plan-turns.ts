import { makeRandom, type Random } from '../random.ts';
import type { Strike } from '../schedule.ts';
import { requestOf } from './request-of.ts';
import type { LoadUrls, Shape, Trouble, TurnPlan } from './turn-plan.ts';
import { writeScript } from './write-script.ts';

export type PlanWish = {
  seed: number;
  turns: number;
  seconds: number;
  strikes: Strike[];
} & LoadUrls;

/** How many turns carry the trouble of one strike, and how long after each other: one whose first try comes late is past it. */
const TROUBLED = 3;
const APART_MS = 5_000;

/** Plans all turns, spread evenly; the turns after a strike of a model's trouble carry it. The same wish, the same plans. */
export function planTurns({ seed, turns, seconds, strikes, ...urls }: PlanWish): TurnPlan[] {
  const random = makeRandom(seed ^ 0x5eed);
  const troubles = strikes.filter(isTrouble).flatMap((strike) => {
    const times = strike.kind === 'poison-turn' ? 1 : TROUBLED;
    return Array.from({ length: times }, (_, place) => ({
      ...strike,
      kind: strike.kind as Trouble,
      atMs: Math.max(strike.atMs, Math.min(strike.atMs + place * APART_MS, seconds * 1_000 - APART_MS)),
    }));
  });
  return Array.from({ length: turns }, (_, index) => {
    const atMs = Math.round((seconds * 1_000 * (index + random.next())) / turns);
    const next = troubles.findIndex((trouble) => trouble.atMs <= atMs);
    const [strike] = next < 0 ? [] : troubles.splice(next, 1);
    const trouble = { trouble: strike?.kind ?? null, struckBy: strike?.number ?? null };
    return planTurn({ number: index + 1, atMs, ...trouble }, urls, random);
  });
}

/** One turn more than were planned, posted at once; the same seed and number, the same plan. */
export function planExtraTurn({ seed, number, atMs }: ExtraWish, urls: LoadUrls): TurnPlan {
  const random = makeRandom(seed ^ (0xe872a + number));
  return planTurn({ number, atMs, trouble: null, struckBy: null, shape: 'plain' }, urls, random);
}

type ExtraWish = { seed: number; number: number; atMs: number };

/** Whether a strike comes with turns rather than against the site. */
function isTrouble({ kind }: Pick<Strike, 'kind'>): boolean {
  return kind.startsWith('provider-') || kind === 'poison-turn';
}

type Start = Pick<TurnPlan, 'number' | 'atMs' | 'trouble' | 'struckBy'> & { shape?: Shape };

function planTurn(start: Start, urls: LoadUrls, random: Random): TurnPlan {
  const shape = start.shape ?? (start.trouble ? 'plain' : shapeOf(random.next()));
  const hasWebhook = random.next() < 0.4;
  const written = writeScript({ ...start, shape }, random);
  return {
    ...start,
    shape,
    followBy: random.next() < 0.7 ? 'stream' : 'poll',
    hasWebhook,
    request: requestOf({ ...start, shape, hasWebhook, script: written.script }, urls),
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
  return chance < 0.26 ? 'second' : 'plain';
}

function endingsOf(shape: Shape, trouble: Trouble | null): string[] {
  if (trouble === 'poison-turn' || trouble === 'provider-garbage') return ['failed'];
  if (shape === 'cancel') return ['cancelled', 'completed'];
  return shape === 'limited' ? ['incomplete'] : ['completed'];
}
