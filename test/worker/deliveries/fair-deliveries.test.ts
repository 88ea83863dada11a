import { sql } from 'kysely';
import { expect } from 'vitest';
import { takeDeliveries } from '#core/checkpoint/webhooks/take-deliveries.ts';
import { plainProject } from '#core/project.ts';
import { allQueues } from '#core/queue/job.ts';
import { makeProjects } from '#services/process/projects.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { createEndpoint } from '#test/harness/webhook-endpoint.ts';

const MANY = 20;
const hangs = () => null;

/** Opens a harness with the projects `a` and `b`, and a client for each. */
async function openTwoProjects({ redis = false, weight = 1 } = {}) {
  const projects = makeProjects([{ ...plainProject('a'), weight }, plainProject('b')]);
  const env = { PAWL_API_KEYS: 'a:key-of-a,b:key-of-b' };
  const harness = await createHarness({ redis, projects, env });
  return Object.assign(harness, {
    a: apiClient(harness.url, 'key-of-a'),
    b: apiClient(harness.url, 'key-of-b'),
  });
}

/** Ends a turn for each input, without sending the deliveries. */
async function endTurns({ workOnce }: Harness, client: ReturnType<typeof apiClient>, inputs: number): Promise<void> {
  for (let number = 0; number < inputs; number += 1) await client.startTurn({ input: 'Hi' });
  while (await workOnce());
}

async function countJobs({ parts }: Harness): Promise<number> {
  const counts = await parts.jobQueue.count(allQueues(parts.providers.names));
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

async function attemptedProjects({ db }: Harness): Promise<string[]> {
  const { rows } = await sql<{ project: string }>`
    select project from delivery_attempts join deliveries on id = delivery_id order by at`.execute(db);
  return rows.map(({ project }) => project);
}

describeQueue(({ redis }) => {
  test('waiting deliveries have no jobs in the queue, even if there are many', async ({ receiver }) => {
    await using harness = await openTwoProjects({ redis });
    for (let number = 0; number < MANY; number += 1) await createEndpoint(harness.a, `${receiver.url}${number}`);

    await endTurns(harness, harness.a, 3);
    await harness.rescue();

    const { pending } = await countDeliveries(harness);
    expect([pending, await countJobs(harness)]).toEqual([3 * MANY, 0]);
    await harness.deliver();
    expect(receiver.caught).toHaveLength(3 * MANY);
  });

  test('a delivery of another project does not wait for earlier deliveries', async ({ receiver }) => {
    await using harness = await openTwoProjects({ redis });
    for (let number = 0; number < MANY; number += 1) await createEndpoint(harness.a, `${receiver.url}${number}`);
    await createEndpoint(harness.b, receiver.url);
    await endTurns(harness, harness.a, 3);
    await endTurns(harness, harness.b, 1);

    await harness.deliver();

    const projects = await attemptedProjects(harness);
    expect(projects).toHaveLength(3 * MANY + 1);
    // With two projects without an attempt, either may be next.
    expect(projects.indexOf('b')).toBeLessThan(MANY);
  });
});

test('projects share the slots for deliveries by their weights', async () => {
  await using harness = await openTwoProjects({ weight: 3 });
  for (const client of [harness.a, harness.b])
    for (let number = 0; number < 8; number += 1) await createEndpoint(client, `http://127.0.0.1:9/${number}`);
  await endTurns(harness, harness.a, 1);
  await endTurns(harness, harness.b, 1);

  const projects = [{ project: 'a', weight: 3, busy: 0, room: 8, doubtfulRoom: 8, firstRoom: null }];
  const taken = await takeDeliveries(harness.db, {
    ...{ free: 8, firsts: 0, projects, receivers: [], answering: [], doubtful: [], hanging: [] },
    unknown: { project: 8, receiver: 4 },
  });

  expect(taken.map(({ project }) => project).sort()).toEqual([...Array(6).fill('a'), ...Array(2).fill('b')]);
});

test('receivers of a project take turns, even if many deliveries wait for one receiver', async ({ harness }) => {
  await using busy = await openExternalServer();
  await using quiet = await openExternalServer();
  for (let number = 0; number < MANY; number += 1)
    await harness.startTurn({ input: 'Hi', webhook: { url: `${busy.url}${number}` } });
  await harness.startTurn({ input: 'Hi', webhook: { url: quiet.url } });
  while (await harness.workOnce());

  const taken = await takeDeliveries(harness.db, {
    ...{ free: 2, firsts: 0, projects: [], receivers: [], answering: [], doubtful: [], hanging: [] },
    unknown: { project: 2, receiver: 2 },
  });

  expect(taken.map(({ url }) => new URL(url).host).sort()).toEqual([busy.url, quiet.url].map(hostOf).sort());
});

test('more hanging endpoints than slots do not delay another endpoint', async ({ harness }) => {
  await using hanging = await openExternalServer(hangs);
  await using healthy = await openExternalServer();
  for (let number = 1; number <= 9; number += 1) await createEndpoint(harness, `${hanging.url}${number}`);
  await createEndpoint(harness, healthy.url);
  await using _worker = await startBackgroundWorker(harness, { concurrency: 8 });

  for (let number = 1; number <= MANY; number += 1) {
    await harness.startTurn({ input: 'Hi' });
    await healthy.arrival(number);
  }

  expect(await countDeliveries(harness)).toMatchObject({ attempted: expect.any(Number), ended: 0 });
  for (const caught of hanging.caught) caught.answer({ status: 410 });
});

test('more hanging endpoints than waiting attempts do not delay an answering endpoint', async ({ harness }) => {
  await using hanging = await openExternalServer(hangs);
  await using healthy = await openExternalServer();
  await createEndpoint(harness, healthy.url);
  await using _worker = await startBackgroundWorker(harness, { concurrency: 8 });
  await harness.startTurn({ input: 'Hi' });
  await healthy.arrival(1);
  for (let number = 1; number <= 60; number += 1) await createEndpoint(harness, `${hanging.url}${number}`);

  for (let number = 2; number <= MANY; number += 1) {
    await harness.startTurn({ input: 'Hi' });
    await healthy.arrival(number);
  }

  expect(hanging.caught.length).toBeGreaterThanOrEqual(6);
  for (const caught of hanging.caught) caught.answer({ status: 410 });
});

test('a hanging receiver gets a few attempts at once, and the others are not started', async ({ harness }) => {
  await using hanging = await openExternalServer(hangs);
  await using healthy = await openExternalServer();
  for (let number = 1; number <= 9; number += 1)
    await harness.startTurn({ input: 'Hi', webhook: { url: hanging.url } });
  await harness.startTurn({ input: 'Hi', webhook: { url: healthy.url } });
  while (await harness.workOnce());

  await using _worker = await startBackgroundWorker(harness);
  await Promise.all([healthy.arrival(1), hanging.arrival(4)]);
  const meanwhile = hanging.caught.length;
  const { rows } = await sql<{ attempts: number }>`
    select attempts from deliveries where lease_until is null and status = 'pending'`.execute(harness.db);
  for (const caught of hanging.caught) caught.answer({ status: 410 });

  expect(meanwhile).toBe(4);
  expect(rows).toEqual(Array(5).fill({ attempts: 0 }));
});

test('a URL that hangs does not delay other URLs of its host', async ({ harness }) => {
  const held = new Set<number>();
  await using receiver = await openExternalServer((number, path) => {
    if (path !== '/hangs') return { status: 200 };
    held.add(number);
    return null;
  });
  for (let number = 1; number <= 4 * MANY; number += 1)
    await harness.startTurn({ input: 'Hi', webhook: { url: `${receiver.url}hangs` } });
  while (await harness.workOnce());
  for (let number = 1; number <= MANY; number += 1)
    await harness.startTurn({ input: 'Hi', webhook: { url: `${receiver.url}${number}` } });
  while (await harness.workOnce());

  await using _worker = await startBackgroundWorker(harness);

  await waitUntil(async () => (await countDeliveries(harness)).delivered === MANY);
  for (const number of held) receiver.caught[number - 1]?.answer({ status: 410 });
});

test('a receiver that answers gets more attempts at once, up to half of the slots', async ({ harness }) => {
  await using receiver = await openExternalServer(hangs);
  for (let number = 1; number <= 30; number += 1)
    await harness.startTurn({ input: 'Hi', webhook: { url: `${receiver.url}${number}` } });
  while (await harness.workOnce());
  await using _worker = await startBackgroundWorker(harness, { concurrency: 16 });

  await receiver.arrival(4);
  for (let number = 1; number <= 4; number += 1) receiver.caught[number - 1]?.answer({ status: 200 });
  await receiver.arrival(12);
  const open = receiver.caught.length - 4;
  for (const caught of receiver.caught.slice(4)) caught.answer({ status: 410 });

  expect(open).toBe(8);
});

test('a project with only hanging receivers leaves slots to another project', async () => {
  await using harness = await openTwoProjects();
  await using hanging = await openExternalServer(hangs);
  await using healthy = await openExternalServer();
  for (let number = 1; number <= 20; number += 1) await createEndpoint(harness.a, `${hanging.url}${number}`);
  await createEndpoint(harness.b, healthy.url);
  await using _worker = await startBackgroundWorker(harness, { concurrency: 8 });
  await harness.a.startTurn({ input: 'Hi' });
  await hanging.arrival(6);

  await harness.b.startTurn({ input: 'Hi' });
  await healthy.arrival(1);

  for (const caught of hanging.caught) caught.answer({ status: 410 });
});

function hostOf(url: string): string {
  return new URL(url).host;
}

async function countDeliveries({ db }: Harness) {
  const { rows } = await sql<{ pending: number; attempted: number; ended: number; delivered: number }>`
    select (count(*) filter (where due_at is not null))::int as pending,
      (count(*) filter (where lease_until is not null))::int as attempted,
      (count(*) filter (where status = 'failed'))::int as ended,
      (count(*) filter (where status = 'delivered'))::int as delivered
    from deliveries`.execute(db);
  return rows[0] ?? { pending: 0, attempted: 0, ended: 0, delivered: 0 };
}
