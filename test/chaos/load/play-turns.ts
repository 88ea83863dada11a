import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import { followTurn } from './follow-turn.ts';
import type { Journal } from './journal.ts';
import { playResponse } from './play-response.ts';
import type { TurnPlan } from './turn-plan.ts';

/** The most turns in progress at the same time: a service that lags is not flooded. */
const MAX_IN_PROGRESS = 100;

/** The number of turns that a call of `addLoad` posts, and its wait for the first acknowledgement. */
const ADDED = 4;
const ADDED_WAIT_MS = 10_000;

export type Load = {
  /** Resolves when the last client has seen the end of its turn, including added turns. */
  played(): Promise<void>;
  /** Returns whether an acknowledged turn has no seen end. */
  isInProgress(): boolean;
  /** Posts a few turns beyond the plan. Resolves when one turn is acknowledged, after ten seconds at most. */
  addLoad(): Promise<void>;
};

/** Plays all turns, each at its time. Added turns are planned by `planExtra` and join `plans`. */
export function playAll(
  plans: TurnPlan[],
  playing: Playing,
  planExtra: (number: number, atMs: number) => TurnPlan,
): Load {
  const startedAt = Date.now();
  const inProgress = new Set<Promise<void>>();
  const start = (plan: TurnPlan) => {
    const played = playTurn(plan, playing).finally(() => inProgress.delete(played));
    inProgress.add(played);
  };
  const { acks, seen } = playing.journal;
  const planned = postAll([...plans]);

  async function postAll(all: TurnPlan[]): Promise<void> {
    for (const plan of all) {
      await sleep(Math.max(0, startedAt + plan.atMs - Date.now()));
      while (inProgress.size >= MAX_IN_PROGRESS) await Promise.race(inProgress);
      start(plan);
    }
  }
  return {
    played: async () => {
      await planned;
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
    isInProgress: () => [...seen.values()].some(({ status }) => status === null),
    addLoad: async () => {
      const numbers = Array.from({ length: ADDED }, (_, index) => plans.length + 1 + index);
      const extra = numbers.map((number) => planExtra(number, Date.now() - startedAt));
      plans.push(...extra);
      for (const plan of extra) start(plan);
      const isAcknowledged = () => acks.some(({ plan }) => numbers.includes(plan));
      for (const until = Date.now() + ADDED_WAIT_MS; !isAcknowledged() && Date.now() < until; ) await sleep(10);
    },
  };
}

type Playing = {
  client: ApiClient;
  journal: Journal;
  /** Known conversations with their tier, for turns of shape `second`: a turn inherits the tier. */
  conversations: { id: string; tier: unknown }[];
};

/** Posts a turn until it is acknowledged, plays its shape, and follows it to its end. */
async function playTurn(plan: TurnPlan, { client, journal, conversations }: Playing): Promise<void> {
  if (plan.shape === 'response') return playResponse(plan, { client, journal });
  const tier = plan.request.service_tier;
  const known = plan.shape === 'second' ? conversations.findLast((other) => other.tier === tier) : undefined;
  const path = known ? `/v1/conversations/${known.id}/turns` : '/v1/turns';
  const answer = await client.send({ method: 'POST', path, body: plan.request, key: `plan-${plan.number}` });
  if (answer?.status !== 202) return;

  const turn = answer.body as { id: string; conversation_id: string };
  journal.acks.push({ at: Date.now(), plan: plan.number, turnId: turn.id });
  journal.seen.set(turn.id, { plan: plan.number, numbers: [], status: null, lastEvent: null });
  if (plan.shape === 'plain') conversations.push({ id: turn.conversation_id, tier });
  const cancelled = plan.shape === 'cancel' ? cancel(plan, turn.id, client) : undefined;
  await followTurn(turn.id, plan, { client, journal });
  await cancelled;
}

async function cancel(plan: TurnPlan, turnId: string, client: ApiClient): Promise<void> {
  await sleep(plan.cancelAfterMs);
  await client.send({ method: 'POST', path: `/v1/turns/${turnId}/cancel` });
}
