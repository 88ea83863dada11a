import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import { followTurn } from './follow-turn.ts';
import type { Journal } from './journal.ts';
import type { TurnPlan } from './turn-plan.ts';

export type Playing = {
  client: ApiClient;
  journal: Journal /** Conversations there are, for turns that come second. */;
  conversations: string[];
};

/** Posts a turn until it is acknowledged, does what its shape asks for, and follows it to its end. */
export async function playTurn(plan: TurnPlan, { client, journal, conversations }: Playing): Promise<void> {
  const behind = plan.shape === 'second' ? conversations.at(-1) : undefined;
  const path = behind ? `/v1/conversations/${behind}/turns` : '/v1/turns';
  const answer = await client.ask({ method: 'POST', path, body: plan.request, key: `plan-${plan.number}` });
  if (answer?.status !== 202) return;

  const turn = answer.body as { id: string; conversation_id: string };
  journal.acks.push({ at: Date.now(), plan: plan.number, turnId: turn.id });
  journal.seen.set(turn.id, { plan: plan.number, numbers: [], status: null, lastEvent: null });
  if (plan.shape === 'plain') conversations.push(turn.conversation_id);
  const cancelled = plan.shape === 'cancel' ? cancel(plan, turn.id, client) : undefined;
  await followTurn(turn.id, plan, { client, journal });
  await cancelled;
}

async function cancel(plan: TurnPlan, turnId: string, client: ApiClient): Promise<void> {
  await sleep(plan.cancelAfterMs);
  await client.ask({ method: 'POST', path: `/v1/turns/${turnId}/cancel` });
}
