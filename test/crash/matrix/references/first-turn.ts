import { scripted } from '#test/harness/scripted.ts';
import type { Scene } from '../lane.ts';
import type { Call } from './reference.ts';

/** The header of a request that a caller may send again. */
export const key = { 'idempotency-key': 'only-once' };

export const device = { name: 'ask_device', description: 'Asks the device', execution: { kind: 'client' } };

export async function first({ turns }: Scene) {
  const [turn] = await turns();
  if (!turn) throw new Error('the scene has no turn');
  return turn;
}

export async function toFirst(scene: Scene, action: string, body?: object) {
  const path = `/v1/turns/${(await first(scene)).id}/${action}`;
  return { method: 'POST', path, ...(body && { body }) };
}

/** Makes a request for the next turn of the first conversation. */
export async function continueFirst(scene: Scene, body: object): Promise<Call> {
  const path = `/v1/conversations/${(await first(scene)).conversation_id}/turns`;
  return { method: 'POST', path, headers: key, body };
}

/** Starts a turn that waits for an answer to its only call. */
export async function startWaiting(
  { startTurn, recorder, harness }: Scene,
  tool: { name: string; [field: string]: unknown },
): Promise<void> {
  const tools = [{ id: 'call_it', name: tool.name, arguments: {} }];
  const webhook = { url: `${recorder.url}/hook` };
  await startTurn({ input: scripted({ rounds: [{ tools }], answer: 'Done.' }), tools: [tool], webhook });
  await harness.workUntilIdle();
}
