import { sql } from 'kysely';
import type { Scene } from '../lane.ts';
import { key } from './first-turn.ts';
import type { Reference } from './reference.ts';

const turn = { model: 'openai/test', input: 'Hi' };
/** The plan is yearly, so that no other play meets it. */
const plan = { cron: '0 0 1 1 *', turn };

/** Turns with a time, schedules, and the requests that create them. */
export const scheduleReferences: Reference[] = [
  {
    of: 'a delayed turn whose time passes, and a due schedule',
    points: /queueDelayed|fireSchedules|fireSchedule|lockDueSchedule|recordFiring|beginTurn|endWithRound|enqueue/,
    start: async (scene) => {
      const { id } = await create(scene);
      await scene.startTurn({ input: 'Later.', delay_seconds: 1, webhook: { url: `${scene.recorder.url}/hook` } });
      await sql`update schedules set next_at = date_trunc('milliseconds', now()) where id = ${id}`.execute(
        scene.harness.db,
      );
    },
  },
  {
    of: 'the request that creates a delayed turn',
    start: nothing,
    request: async () => ({ method: 'POST', path: '/v1/turns', headers: key, body: { ...turn, delay_seconds: 300 } }),
    answers: [202],
  },
  {
    of: 'the request that creates a schedule',
    start: nothing,
    request: async () => ({ method: 'POST', path: '/v1/schedules', headers: key, body: plan }),
    answers: [201],
  },
  {
    of: 'the request that changes a schedule',
    start: create,
    request: async (scene) => ({ method: 'PATCH', path: await pathOf(scene), body: { cron: '0 0 2 1 *' } }),
    answers: [200],
  },
  {
    of: 'the request that deletes a schedule',
    start: create,
    request: async (scene) => ({ method: 'DELETE', path: await pathOf(scene) }),
    answers: [204, 404],
  },
];

async function nothing(): Promise<void> {}

async function create({ call }: Scene): Promise<{ id: string }> {
  return (await call<{ id: string }>('POST', '/v1/schedules', { body: plan })).body;
}

async function pathOf({ call }: Scene): Promise<string> {
  const { body } = await call<{ data: { id: string }[] }>('GET', '/v1/schedules');
  return `/v1/schedules/${body.data[0]?.id}`;
}
