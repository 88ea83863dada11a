import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { read, write } from '#core/postgres/read-write.ts';
import { openReplicas } from '#core/postgres/replicas/open-replicas.ts';
import { positionsOf } from '#core/postgres/replicas/position.ts';
import { openReplica } from '#core/postgres/replicas/replica.ts';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { openLink } from '#test/harness/links/open-link.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { openReplicated, type ReplicatedPostgres } from '#test/harness/stores/open-replicated.ts';
import { runStatement } from '#test/harness/stores/run-statement.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** Opens reads by the replicas of a URL, and collects the reports about each. */
function open({ url, readUrl }: Pick<ReplicatedPostgres, 'url' | 'readUrl'>) {
  const { db, close } = connect(url);
  const reports: string[] = [];
  const report = (name: string, trouble: string | null) => void reports.push(`${name} ${trouble ?? 'reads'}`);
  const replicas = openReplicas({ url: readUrl, primary: db, report, count: () => {} });
  onTestFinished(async () => {
    await replicas.close();
    await close();
  });
  return { db, reports, read: replicas.read, port: () => replicas.read(portOf) };
}

async function portOf(db: Db): Promise<string | undefined> {
  return (await read<{ port: string }>(db, sql`select current_setting('port') as port`))[0]?.port;
}

const portIn = (url: string) => new URL(url).port;

const withPort = (url: string, port: number) => url.replace(/:\d+\//, `:${port}/`);

const untilRead = (by: { port(): Promise<string | undefined> }, url: string) =>
  waitUntil(async () => expect(await by.port()).toBe(portIn(url)));

describe('a streaming standby', () => {
  let pair: ReplicatedPostgres;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    const folder = opened.use(await newFolder('replicas'));
    pair = opened.use(await openReplicated(folder.path));
  });
  afterAll(() => opened.disposeAsync());

  function openAlone(url: string) {
    const { db, close } = connect(pair.url);
    const askPosition = positionsOf(db);
    const reports: (string | null)[] = [];
    const report = (_: string, trouble: string | null) => void reports.push(trouble);
    const replica = openReplica({ name: 'standby', url, askPosition, report });
    onTestFinished(async () => void (await Promise.all([replica.close(), close()])));
    return { replica, askPosition, reports };
  }

  test('a standby that has caught up answers reads, with each answered commit', async () => {
    const replicas = open(pair);
    await write(replicas.db, sql`create table counted (number int)`);
    await untilRead(replicas, pair.readUrl);

    const [shown, ports] = [[] as number[], new Set<string | undefined>()];
    for (let number = 1; number <= 200; number += 1) {
      await write(replicas.db, sql`insert into counted values (${number}::int)`);
      const rows = await replicas.read(async (db) => {
        ports.add(await portOf(db));
        return read<{ notes: number }>(db, sql`select count(*)::int as notes from counted`);
      });
      shown.push(rows[0]?.notes ?? 0);
    }

    expect(shown).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    expect(ports).toContain(portIn(pair.readUrl));
    expect(replicas.reports[0]).toBe(`${new URL(pair.readUrl).host} reads`);
  });

  test('a lagging standby is skipped with one report, and used again after catching up', async () => {
    const replicas = open(pair);
    await write(replicas.db, sql`create table note (number int)`);
    await untilRead(replicas, pair.readUrl);
    replicas.reports.length = 0;

    await pair.pauseReplay();
    await write(replicas.db, sql`insert into note values (1)`);
    const reads = Array.from({ length: 5 }, () =>
      replicas.read(async (db) => [await portOf(db), await read(db, sql`select number from note`)]),
    );

    expect(await Promise.all(reads)).toEqual(reads.map(() => [portIn(pair.url), [{ number: 1 }]]));
    expect(replicas.reports).toEqual([expect.stringMatching(/ is behind$/)]);
    await pair.resumeReplay();
    await untilRead(replicas, pair.readUrl);
  });

  test('a silent standby is reported once and skipped, and the primary answers', async () => {
    await using link = await openLink(Number(portIn(pair.readUrl)));
    const replicas = open({ url: pair.url, readUrl: withPort(pair.readUrl, link.port) });
    await untilRead(replicas, pair.readUrl);
    replicas.reports.length = 0;

    link.setMode('blackhole');
    const answers = [await replicas.port(), await replicas.port()];

    expect(answers).toEqual([portIn(pair.url), portIn(pair.url)]);
    expect(replicas.reports).toEqual([expect.stringMatching(/ does not answer in time$/)]);
  });

  test('the next reads skip a silent standby', async () => {
    await using link = await openLink(Number(portIn(pair.readUrl)));
    const { replica, askPosition } = openAlone(withPort(pair.readUrl, link.port));
    await waitUntil(() => expect(replica.isUsable()).toBe(true));

    link.setMode('blackhole');
    const transaction = await replica.enter(await askPosition());

    expect(transaction).toBeNull();
    expect(replica.isUsable()).toBe(false);
  });

  test('a statement that times out is not retried on the primary', async () => {
    const replicas = open(pair);
    await untilRead(replicas, pair.readUrl);
    const ports: (string | undefined)[] = [];

    const answer = replicas.read(async (db) => {
      ports.push(await portOf(db));
      await read(db, sql`select set_config('statement_timeout', '50', true)`);
      return read(db, sql`select pg_sleep(60)`);
    });

    await expect(answer).rejects.toMatchObject({ code: '57014' });
    expect(ports).toEqual([portIn(pair.readUrl)]);
  });

  test('a server with another database, or an unreachable server, answers no read', async () => {
    const strange = new URL(pair.readUrl);
    strange.pathname = '/postgres';
    const dead = withPort(pair.readUrl, await findFreePort());
    const [foreign, away] = [open({ ...pair, readUrl: strange.href }), open({ ...pair, readUrl: dead })];

    await waitUntil(() => expect([...foreign.reports, ...away.reports]).toHaveLength(2));

    expect(foreign.reports[0]).toMatch(/ is not a copy of this database$/);
    expect(away.reports[0]).toMatch(/ fails \(ECONNREFUSED\)$/);
    expect([await foreign.port(), await away.port()]).toEqual([portIn(pair.url), portIn(pair.url)]);
  });

  test('a position of another timeline is not reached, at any position of the standby', async () => {
    const { replica, askPosition, reports } = openAlone(pair.readUrl);
    await waitUntil(() => expect(replica.isUsable()).toBe(true));

    const position = await askPosition();
    const transaction = await replica.enter({ ...position, lsn: '0/1', timeline: '00000002' });

    expect(position.timeline).toBe('00000001');
    expect(transaction).toBeNull();
    expect(reports).toEqual([null, 'follows another or an older primary']);
  });
});

test('a standby that fails or is killed during a read does not affect the answer', async () => {
  await using folder = await newFolder('replicas');
  await using pair = await openReplicated(folder.path);
  const replicas = open(pair);
  await untilRead(replicas, pair.readUrl);
  replicas.reports.length = 0;
  const ports: (string | undefined)[] = [];

  const answer = await replicas.read(async (db) => {
    ports.push(await portOf(db));
    if (ports.length === 1) await pair.killStandby();
    return read(db, sql`select 1 as one`);
  });
  const afterwards = await replicas.port();

  expect(answer).toEqual([{ one: 1 }]);
  expect(ports).toEqual([portIn(pair.readUrl), portIn(pair.url)]);
  expect(afterwards).toBe(portIn(pair.url));
  expect(replicas.reports[0]).toMatch(/ fails \(\w+\)$/);
});

test('a promoted standby is no longer a replica, and the primary is never a replica', async () => {
  await using folder = await newFolder('replicas');
  await using pair = await openReplicated(folder.path);
  const both = pair.readUrl.replace(/@([^/]+)/, `@${new URL(pair.url).host},$1`);
  const replicas = open({ url: pair.url, readUrl: both });
  await untilRead(replicas, pair.readUrl);

  await pair.promote();
  await runStatement(pair.readUrl, 'create table lost (number int)');
  await untilRead(replicas, pair.url);

  expect(replicas.reports).toContain(`${new URL(pair.url).host} is not a standby: it accepts writes`);
  await waitUntil(async () => {
    expect(await replicas.port()).toBe(portIn(pair.url));
    expect(replicas.reports).toContain(`${new URL(pair.readUrl).host} is not a standby: it accepts writes`);
  });
});
