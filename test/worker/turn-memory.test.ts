import { expect, test } from 'vitest';
import { createWorld } from '#test/world/create-world.ts';
import { scripted } from '#test/world/scripted.ts';
import { startWitness } from '../crash/witness.ts';

const tool = (url: string) => ({
  name: 'look_up',
  description: 'Looks something up',
  effect: 'idempotent',
  parameters: { type: 'object', properties: {} },
  execution: { kind: 'http', url: `${url}/slow` },
});
const input = scripted({ rounds: [{ tools: [{ name: 'look_up', arguments: {} }] }], answer: 'Got {{results}}' });

test('a step that another worker hands back goes on at the worker that has left it', async () => {
  await using witness = await startWitness();
  await using first = await createWorld();
  await using second = await createWorld({ env: { ...first.env } });
  const { id } = await first.startTurn({ input, tools: [tool(witness.url)] });
  await first.workOnce();

  const stopped = second.workOnce();
  await witness.called('/slow', 1);
  second.worker.heartbeat.stop('shutdown');
  await stopped;
  const working = first.workOnce();
  await witness.called('/slow', 2);
  await first.beat();
  witness.release();
  await working;
  await first.workUntilIdle();

  const turn = await first.findTurn(id);
  expect([turn.status, witness.calls.length]).toEqual(['completed', 2]);
});

test('a step that was just made owed does not start once its turn is cancelled', async () => {
  await using witness = await startWitness();
  await using world = await createWorld();
  const { id } = await world.startTurn({ input, tools: [tool(witness.url)] });
  await world.workOnce();

  witness.release();
  await world.call('POST', `/v1/turns/${id}/cancel`);
  await world.hasHeard('cancelled', id);
  await world.workUntilIdle();

  expect(witness.calls).toHaveLength(0);
});

test('what was left of one step does not serve the next, which another worker has made owed', async () => {
  await using first = await createWorld();
  await using second = await createWorld({ env: { ...first.env } });
  const { id } = await first.startTurn({ input: 'How warm is it?', tools: ['weather_lookup'] });

  await first.workOnce();
  await second.workOnce();
  await first.workOnce();

  expect((await first.findTurn(id)).status).toBe('completed');
});

test('a step that comes again is read again, and leaves what was done', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'How warm is it?', tools: ['weather_lookup'] });

  await world.workUntilIdle({ deliveries: 2 });

  expect((await world.findTurn(id)).status).toBe('completed');
  expect(world.asked).toHaveLength(2);
});
