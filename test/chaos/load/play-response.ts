import { joinedOutput } from '../../turn/responses/make-response.ts';
import type { ApiClient } from './api-client.ts';
import { followResponse } from './follow-response.ts';
import type { Journal } from './journal.ts';
import type { TurnPlan } from './turn-plan.ts';

type Playing = { client: ApiClient; journal: Journal };
type Created = { id: string; turnId: string };

/**
 * Turns after a planned response have the number of its plan and a fraction. This fraction is of the answer to its
 * call.
 */
export const ANSWERING = 0.5;
const UNSTORED = 0.25;

/**
 * Creates a response in the background, follows its stream, and answers its handed-over call in a next response. That
 * response also allows a call. Two clients create it at once, and only one client may. Then it is deleted, or an
 * unstored response follows it.
 */
export async function playResponse(plan: TurnPlan, playing: Playing): Promise<void> {
  const { number } = plan;
  const asking = await create(number, plan.request, playing);
  if (!asking) return;
  playing.journal.acks.push({ at: Date.now(), plan: number, turnId: asking.turnId });
  const request = requestIn(await follow(asking, playing));

  const output = { type: 'function_call_output', call_id: callIdOf(plan), output: 'as you like' };
  const approval = { type: 'mcp_approval_response', approval_request_id: request, approve: true };
  const next = { ...plan.request, previous_response_id: asking.id, input: [output, approval] };
  const rivals = ['', '-rival'].map((rival) => create(number + ANSWERING, next, { ...playing, rival }));
  const answering = (await Promise.all(rivals)).find((made) => made !== undefined);
  if (!answering) return;
  await follow(answering, playing);
  if (number % 2 === 1) return remove({ number, ...answering }, playing);

  const unseen = { model: 'openai/chaos', input: 'Unseen.', store: false, previous_response_id: answering.id };
  const unstored = await create(number + UNSTORED, unseen, playing);
  if (unstored) playing.journal.gone.push({ plan: number + UNSTORED, turnId: unstored.turnId });
}

/** Returns the id of the call that a planned response hands over. */
export function callIdOf({ number }: Pick<TurnPlan, 'number'>): string {
  return `ask_${number}`;
}

async function create(
  number: number,
  request: object,
  { client, rival = '' }: Playing & { rival?: string },
): Promise<Created | undefined> {
  const body = { ...request, metadata: { plan: String(number) } };
  const answer = await client.send({ method: 'POST', path: '/v1/responses', body, key: `plan-${number}${rival}` });
  if (answer?.status !== 200) return undefined;
  const id = String(answer.body.id);
  return { id, turnId: id.replace('resp_', 'turn_') };
}

async function follow({ id }: Created, { client, journal }: Playing): Promise<unknown> {
  const received = await followResponse(id, client);
  const answer = received && (await client.send({ method: 'GET', path: `/v1/responses/${id}` }));
  const seen = received ? joinedOutput(received) : null;
  journal.responses.push({ id, seen: JSON.stringify(seen), stored: JSON.stringify(answer?.body.output ?? null) });
  return answer?.body.output;
}

function requestIn(output: unknown): string | undefined {
  const items = (output ?? []) as { type: string; id: string }[];
  return items.find(({ type }) => type === 'mcp_approval_request')?.id;
}

async function remove({ number, id, turnId }: Created & { number: number }, playing: Playing): Promise<void> {
  await playing.client.send({ method: 'DELETE', path: `/v1/responses/${id}` });
  playing.journal.gone.push({ plan: number + ANSWERING, turnId });
}
