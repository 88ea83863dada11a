import { setTimeout as sleep } from 'node:timers/promises';
import { type Playing, playTurn } from './play-turn.ts';
import type { TurnPlan } from './turn-plan.ts';

/** Turns that are under way at the same time, at most: a site that lags behind is not buried. */
const MOST_AT_ONCE = 100;

/** How many turns one call of `addLoad` posts, and how long it waits for the first to be acknowledged. */
const ADDED = 4;
const ADDED_WAIT_MS = 10_000;

export type Load = {
  /** Resolves when the last client has seen the end of its turn, those of added turns too. */
  played(): Promise<void>;
  /** Whether a turn that was acknowledged has not been seen to end. */
  isUnderWay(): boolean;
  /** Posts a few turns beyond the plan; resolves when one of them is acknowledged, after ten seconds at most. */
  addLoad(): Promise<void>;
};

/** Plays all turns, each at its time; turns that are added beyond them are planned by `planExtra` and join `plans`. */
export function playAll(
  plans: TurnPlan[],
  playing: Playing,
  planExtra: (number: number, atMs: number) => TurnPlan,
): Load {
  const startedAt = Date.now();
  const underWay = new Set<Promise<void>>();
  const start = (plan: TurnPlan) => {
    const played = playTurn(plan, playing).finally(() => underWay.delete(played));
    underWay.add(played);
  };
  const { acks, seen } = playing.journal;
  const planned = postAll([...plans]);

  async function postAll(all: TurnPlan[]): Promise<void> {
    for (const plan of all) {
      await sleep(Math.max(0, startedAt + plan.atMs - Date.now()));
      while (underWay.size >= MOST_AT_ONCE) await Promise.race(underWay);
      start(plan);
    }
  }
  return {
    played: async () => {
      await planned;
      while (underWay.size > 0) await Promise.all(underWay);
    },
    isUnderWay: () => [...seen.values()].some(({ status }) => status === null),
    addLoad: async () => {
      const numbers = Array.from({ length: ADDED }, (_, index) => plans.length + 1 + index);
      const extra = numbers.map((number) => planExtra(number, Date.now() - startedAt));
      plans.push(...extra);
      for (const plan of extra) start(plan);
      const isThere = () => acks.some(({ plan }) => numbers.includes(plan));
      for (const until = Date.now() + ADDED_WAIT_MS; !isThere() && Date.now() < until; ) await sleep(10);
    },
  };
}
