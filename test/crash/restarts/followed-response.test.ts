import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess, type TestProcess } from '#test/harness/start-process.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openaiClient } from '../../api/openai/responses/openai-client.ts';
import { openChangingModel, WHICH_TRY } from '../../harness/servers/changing-model.ts';
import { openToolRecorder } from '../../harness/servers/tool-recorder.ts';
import { joinedOutput } from '../../turn/responses/make-response.ts';
import { type Followed, followToEnd } from './follow-to-end.ts';

// Workers, APIs and Redis are killed and PostgreSQL crashes while clients follow.

const RESPONSES = 6;
const words = (what: string) => Array.from({ length: 24 }, (_, index) => `${what} ${index} 🐢`).join(', ');

test.for([{ queue: 'redis' }, { queue: 'postgres' }])(
  'clients that reconnect receive every event of a response once, on $queue',
  {
    timeout: 400_000,
  },
  async ({ queue }, { skip }) => {
    await using folder = await newFolder('fire');
    await using postgres = await openPostgres({ folder: folder.path, durable: true });
    await using redis = queue === 'redis' ? await openRedis() : null;
    if (queue === 'redis' && !redis) return skip('no redis-server on the PATH');
    await using model = await openChangingModel();
    await using recorder = await openToolRecorder();
    await migrateAll(postgres.url);
    const env = {
      ...{ DATABASE_URL: postgres.url, OPENAI_API_KEY: 'none', OPENAI_BASE_URL: model.baseUrl },
      ...{ PAWL_EGRESS_ALLOW: '127.0.0.1', ...(redis && { REDIS_URL: redis.url }) },
    };
    const ports = [await findFreePort(), await findFreePort()];
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    await using fleet = await startFleet(env, ports);

    const client = openaiClient({ url: urls[0] as string });
    const started = await Promise.all(
      Array.from({ length: RESPONSES }, (_, index) => client.responses.create(requestOf(index, recorder.url))),
    );
    const clients = started.flatMap(({ id }) => [newClient(id), newClient(id)]);
    const [one, other] = [urls, urls.toReversed()];
    const follow = clients.map(({ id, followed }, index) => followToEnd(index % 2 ? one : other, id, followed));
    const over = Promise.all(follow);

    const faults = [
      () => fleet.replaceWorkers(2),
      () => fleet.replaceApi(0),
      ...(redis ? [() => redis.kill().then(() => redis.start())] : []),
      () => postgres.crash().then(() => postgres.start()),
      () => fleet.replaceWorkers(1),
      () => fleet.replaceApi(1),
      () => postgres.stop().then(() => postgres.start()),
    ];
    for (const fault of faults) {
      await untilReceived(clients);
      await fault();
    }
    await over;

    for (const { id, followed } of clients) {
      const { output, status } = await client.responses.retrieve(id);
      expect(status).toBe('completed');
      const fresh = newClient(id);
      await followToEnd(urls, id, fresh.followed);
      expect(joinedOutput(followed.received)).toEqual(output);
      expect(joinedOutput(fresh.followed.received)).toEqual(output);
      expect(followed.received.at(-1)).toMatchObject({ type: 'response.completed', response: { output } });
      expect(milestones(followed.received)).toEqual(milestones(fresh.followed.received));
      const numbers = followed.received.map(({ sequence_number: number }) => number);
      expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    }
    expect(clients.filter(({ followed }) => followed.superseded > 0).length).toBeGreaterThan(0);
    expect(clients.filter(({ followed }) => followed.connections > 1).length).toBeGreaterThan(1);
  },
);

/** Makes a request. The model answers every second request differently when it is repeated. */
function requestOf(index: number, toolUrl: string) {
  const mark = index % 2 === 0 ? '' : `${WHICH_TRY}. try: `;
  const call = { name: 'note', arguments: { mark: String(index) } };
  const round = {
    reasoning: `${mark}Hm. ${words('thought')}`,
    say: `${mark}First. ${words('word')}`,
    tools: [call, call],
  };
  const execution = { kind: 'http', url: `${toolUrl}/note` };
  const input = scripted({
    ...{ rounds: [round, round], answer: `${mark}At last. ${words('answer')}` },
    ...{ pace_ms: 90, piece_chars: 7 },
  });
  const tool = { type: 'function', name: 'note', parameters: { type: 'object' }, execution, effect: 'idempotent' };
  const reasoning = { summary: 'auto' as const };
  const request = { model: 'openai/test', input, background: true as const, reasoning };
  return { ...request, tools: [tool as unknown as OpenAI.Responses.FunctionTool] };
}

function newClient(id: string): { id: string; followed: Followed } {
  return { id, followed: { received: [], connections: 0, superseded: 0 } };
}

/** Waits until each unfinished client receives more text, so that a fault breaks a live stream. */
async function untilReceived(clients: { followed: Followed }[]): Promise<void> {
  const before = clients.map(({ followed }) => followed.received.at(-1));
  const isOn = ({ followed }: { followed: Followed }, index: number) => {
    const last = followed.received.at(-1);
    return last?.type === 'response.completed' || (last !== before[index] && last?.type.endsWith('_text.delta'));
  };
  await waitUntil(() => expect(clients.every(isOn)).toBe(true));
}

/** Returns all events except deltas, without the fields that differ for clients of an abandoned attempt. */
function milestones(received: NumberedEvent[]) {
  const whole = received.filter(({ type }) => !/_text\.delta$|refusal\.delta$/.test(type));
  return whole.map(({ sequence_number: _, response: __, ...event }) => event);
}

async function startFleet(env: Record<string, string>, ports: number[]) {
  const apiAt = (port: number) => startProcess('api', { ...env, PORT: String(port) });
  const workers: TestProcess[] = [await startProcess('worker', env), await startProcess('worker', env)];
  const apis = await Promise.all(ports.map(apiAt));
  return {
    replaceWorkers: async (count: number) => {
      await Promise.all(workers.splice(0, count).map((worker) => worker.kill('SIGKILL')));
      for (let index = 0; index < count; index += 1) workers.push(await startProcess('worker', env));
    },
    replaceApi: async (index: number) => {
      await apis[index]?.kill('SIGKILL');
      apis[index] = await apiAt(ports[index] as number);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...workers, ...apis].map((part) => part.kill('SIGKILL')));
    },
  };
}
