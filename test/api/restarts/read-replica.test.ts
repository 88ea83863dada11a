import { expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { openReplicated, type ReplicatedPostgres } from '#test/harness/stores/open-replicated.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** Opens a harness that reads lists from a standby. */
async function createReplicated() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await newFolder('read-replica'));
  const pair = opened.use(await openReplicated(folder.path));
  const env = { DATABASE_URL: pair.url, DATABASE_READ_URL: pair.readUrl };
  const harness = opened.use(await createHarness({ env }));
  const all = opened.move();
  return { pair, ...harness, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

type List = { data: Record<string, unknown>[] };

const idsOf = async ({ call }: Pick<Harness, 'call'>, path: string) =>
  (await call<List>('GET', path)).body.data.map(({ id }) => id);

/** Returns how many reads each server has answered since the start. */
async function reads({ parts }: Pick<Harness, 'parts'>) {
  const text = await parts.metrics.registry.metrics();
  const of = (server: string) =>
    Number(new RegExp(`pawl_reads_total\\{server="${server}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
  return { replica: of('replica'), primary: of('primary') };
}

/** Resolves when the standby answers reads. */
const untilUsed = (harness: Pick<Harness, 'call' | 'parts'>) =>
  fromStandby(harness, () => harness.call('GET', '/v1/turns'));

/** Returns the answer to a request after the standby, and not the primary, has served all its reads. */
function fromStandby<Answer>(harness: Pick<Harness, 'parts'>, ask: () => Promise<Answer>): Promise<Answer> {
  return waitUntil(async () => {
    const before = await reads(harness);
    const answer = await ask();
    const { replica, primary } = await reads(harness);
    expect(replica).toBeGreaterThan(before.replica);
    expect(primary).toBe(before.primary);
    return answer;
  });
}

/** Returns all paths that a replica may answer for an ended turn. */
const pathsOf = ({ id, conversation_id }: { id: string; conversation_id: string }) => [
  '/v1/turns',
  '/v1/turns?include=rounds&q=hello',
  '/v1/conversations',
  `/v1/conversations/${conversation_id}/messages`,
  `/openai/v1/conversations/${conversation_id}/items`,
  `/v1/turns/${id}/events`,
  '/v1/usage?group_by=model',
  '/v1/statistics',
  '/v1/statistics/turns',
];

async function endedTurn(harness: Harness) {
  const turn = await harness.startTurn({ input: 'hello' });
  await harness.workUntilIdle();
  return turn;
}

test('a standby answers lists, usage and events of an ended turn like the primary', async () => {
  await using harness = await createReplicated();
  const turn = await endedTurn(harness);
  const paths = pathsOf(turn);

  const answers = await fromStandby(harness, () => Promise.all(paths.map((path) => harness.call('GET', path))));
  await harness.pair.killStandby();
  const afterwards = await Promise.all(paths.map((path) => harness.call('GET', path)));

  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  const events = answers[paths.indexOf(`/v1/turns/${turn.id}/events`)]?.body as List | undefined;
  expect(events?.data.at(-1)).toMatchObject({ type: 'turn.completed' });
  expect(afterwards.map(({ body }) => timeless(body))).toEqual(answers.map(({ body }) => timeless(body)));
});

/** Drops times from statistics, which cover the day before now. */
function timeless(body: Record<string, unknown>) {
  return 'buckets' in body ? { turns: body.turns, failures: body.failures } : body;
}

test('a standby without replay hides no turn, change or deletion from a list', async () => {
  await using harness = await createReplicated();
  const ended = await endedTurn(harness);
  await untilUsed(harness);

  await harness.pair.pauseReplay();
  const started = await harness.startTurn({ input: 'more' });
  const listed = await idsOf(harness, '/v1/turns');
  await harness.workUntilIdle();
  const completed = await idsOf(harness, '/v1/turns?status=completed');
  const events = await harness.listEvents(started.id);
  const [usage] = (await harness.call<List>('GET', '/v1/usage')).body.data;
  await harness.call('DELETE', `/v1/turns/${ended.id}`);
  const left = await idsOf(harness, '/v1/turns');

  expect(listed).toEqual([started.id, ended.id]);
  expect(completed).toEqual([started.id, ended.id]);
  expect(events.at(-1)).toMatchObject({ type: 'turn.completed' });
  expect(usage).toMatchObject({ turns: 2 });
  expect(left).toEqual([started.id]);
});

test('a list includes earlier turns at any replay position of the standby', async () => {
  await using harness = await createReplicated();
  await untilUsed(harness);
  const before = await reads(harness);

  const stopping = changeSpeed(harness.pair);
  const [started, missed] = [[] as string[], [] as string[]];
  await waitUntil(async () => {
    const { id } = await harness.startTurn({ input: 'hello' });
    started.push(id);
    if (!(await idsOf(harness, '/v1/turns?limit=5')).includes(id)) missed.push(id);
    const { replica, primary } = await reads(harness);
    expect(Math.min(replica - before.replica, primary - before.primary)).toBeGreaterThan(10);
  });
  await stopping();

  expect(started.length).toBeGreaterThan(20);
  expect(missed).toEqual([]);
});

/** Pauses and resumes the replay of the standby repeatedly, until stopped. */
function changeSpeed({ pauseReplay, resumeReplay }: ReplicatedPostgres): () => Promise<void> {
  let isStopped = false;
  const change = async () => {
    while (!isStopped) {
      await pauseReplay();
      await resumeReplay();
    }
  };
  const changing = change();
  return async () => {
    isStopped = true;
    await changing;
  };
}

test('a stream of an ended turn is read from the standby, or else from the primary', async () => {
  await using harness = await createReplicated();
  const turn = await endedTurn(harness);
  const stream = async () => {
    const headers = { accept: 'text/event-stream' };
    return (await fetch(`${harness.url}/v1/turns/${turn.id}/events`, { headers })).text();
  };

  const received = await fromStandby(harness, stream);
  await harness.pair.killStandby();
  const receivedAgain = await stream();

  expect(received).toContain('turn.completed');
  expect(receivedAgain).toBe(received);
});

test('reads continue after the standby becomes the primary', async () => {
  await using folder = await newFolder('read-replica');
  await using pair = await openReplicated(folder.path);
  const [both] = [pair.url.replace(/@([^/]+)/, `@$1,${new URL(pair.readUrl).host}`)];
  await using harness = await createHarness({ env: { DATABASE_URL: both, DATABASE_READ_URL: both } });
  const turn = await harness.startTurn({ input: 'hello' });
  await untilUsed(harness);
  await pair.failOver();

  const ids = await waitUntil(async () => {
    const { status, body } = await harness.call<List>('GET', '/v1/turns');
    expect(status).toBe(200);
    return body.data.map(({ id }) => id);
  });
  const { body } = await waitUntil(async () => {
    const answer = await harness.call('POST', '/v1/turns', { body: { model: 'openai/test', input: 'more' } });
    expect(answer.status).toBe(202);
    return answer;
  });

  expect(ids).toEqual([turn.id]);
  expect(await idsOf(harness, '/v1/turns')).toEqual([body.id, turn.id]);
});
