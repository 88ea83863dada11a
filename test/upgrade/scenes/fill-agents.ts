import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';
import { rollUpUsage } from '#core/checkpoint/usage/roll-up-usage.ts';
import { type Filling, post, run, start } from './filling.ts';

const versions = { '1': 50, '2': 50 };

/** Creates an agent with versions and labels, an agent that is deleted, and turns with both. */
export async function fillAgents(filling: Filling): Promise<void> {
  const { main } = filling;
  const instructions = 'You help {{customer}}.';
  const metadata = { of: 'upgrade' };
  await post(filling, '/v1/agents', { name: 'support', model: 'openai/test', instructions, metadata });
  await main.call('PATCH', '/v1/agents/support', { body: { temperature: 0.5 } });
  await main.call('PUT', '/v1/agents/support/labels/production', { body: { version: 1 } });
  await main.call('PUT', '/v1/agents/support/labels/trial', { body: { versions } });
  await post(filling, '/v1/agents', { name: 'deleted', model: 'openai/test', instructions: 'Be brief.' });
  const script = { answer: 'Hello.' };
  const variables = { customer: 'Ada' };
  await run(filling, 'with_agent', { script, agent: 'support@production', variables });
  await run(filling, 'with_deleted_agent', { script, agent: 'deleted' });
  await main.call('DELETE', '/v1/agents/deleted');
  await post(filling, '/v1/conversations', { agent: 'support@trial', variables });
  await sumUsage(filling.harness.db);
  await start(filling, 'delayed_with_agent', { script, agent: 'support', variables, delay_seconds: 600 });
}

/** Makes the usage of the turns with agents older by an hour, and sums it. */
async function sumUsage(db: Db): Promise<void> {
  await sql`update usage_records set at = at - interval '1 hour' where agent is not null`.execute(db);
  while (await rollUpUsage(db));
}
