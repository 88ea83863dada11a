import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { ReceivedRequest } from '#simulator/start-simulator.ts';
import { isSummaryRequest } from '#simulator/summary-request.ts';
import type { Harness } from '#test/harness/create-harness.ts';

/** A thousand characters: about 250 tokens. */
export const long = 'word '.repeat(200).trim();

type Work = { deliveries?: number; attempts?: number };

/** Opens a conversation that compacts its history. Each turn runs before the next turn begins. */
export async function converse(harness: Harness, context: object, more: object = {}) {
  const standing = { model: 'openai/test', context, ...more };
  const { body } = await harness.call('POST', '/v1/conversations', { body: standing });
  const path = `/v1/conversations/${body.id}`;
  const say = async (input: string, own: object = {}, { deliveries = 1, attempts = 1 }: Work = {}) => {
    const { body: turn } = await harness.call<TurnResource>('POST', `${path}/turns`, { body: { input, ...own } });
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if (attempt > 1) await harness.advance(60_000);
      if (attempt > 1) await harness.rescue();
      await harness.workUntilIdle({ deliveries });
    }
    return harness.findTurn(turn.id);
  };
  return { id: String(body.id), path, say };
}

export function summariesAsked({ modelRequests }: Pick<Harness, 'modelRequests'>): ReceivedRequest[] {
  return modelRequests.filter(({ body }) => isSummaryRequest(body));
}

export function requestedRoles({ body }: ReceivedRequest): string {
  return body.messages.map(({ role }) => role).join(' ');
}
