import { setTimeout as sleep } from 'node:timers/promises';
import { type Playing, playTurn } from './play-turn.ts';
import type { TurnPlan } from './turn-plan.ts';

/** Turns that are under way at the same time, at most: a site that lags behind is not buried. */
const MOST_AT_ONCE = 100;

/** Plays all turns, each at its time; resolves when the last client has seen the end of its turn. */
export async function playAll(plans: TurnPlan[], playing: Playing): Promise<void> {
  const startedAt = Date.now();
  const underWay = new Set<Promise<void>>();
  for (const plan of plans) {
    await sleep(Math.max(0, startedAt + plan.atMs - Date.now()));
    while (underWay.size >= MOST_AT_ONCE) await Promise.race(underWay);
    const played = playTurn(plan, playing).finally(() => underWay.delete(played));
    underWay.add(played);
  }
  await Promise.all(underWay);
}
