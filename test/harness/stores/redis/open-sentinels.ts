import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { newFolder } from '../../new-folder.ts';
import { waitUntil } from '../../wait-until.ts';
import { openRedis, spawnRedis, type TestRedis } from './open-redis.ts';
import { type Protection, settingsOf } from './protection.ts';

/** A master, its replica, and Sentinels that promote the replica within seconds of the master's end. */
export type TestSentinels = AsyncDisposable & {
  url: string;
  /** The nodes and their roles at the start. */
  master: TestRedis;
  replica: TestRedis;
  /** A connection to the present master. */
  client: Redis;
  /** Kills the master. Resolves when all Sentinels name the other node. The killed node stays down until `rejoin`. */
  failOver(): Promise<void>;
  /** Restarts the node that is down, and waits until it is the replica of the other node. */
  rejoin(): Promise<void>;
};

const NAME = 'mymaster';

/** Starts a master, a replica and three Sentinels on free ports. Returns null if the PATH has no `redis-server`. */
export async function openSentinels(protection?: Protection): Promise<TestSentinels | null> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await newFolder('sentinels'));
  const own = { dir: folder.path, ...(protection && { masterauth: protection.password }) };
  const master = await openRedis({ settings: own, protection });
  if (!master) return null;
  opened.use(master);
  const replica = await openRedis({
    settings: { ...own, replicaof: `127.0.0.1 ${master.port}`, 'repl-diskless-sync-delay': '0' },
    protection,
  });
  if (!replica) return null;
  opened.use(replica);
  await waitUntil(() => follows(replica), 'the replica follows');
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()];
  for (const port of ports) {
    const path = join(folder.path, `${port}.conf`);
    await writeFile(path, fileOf(port, master.port, protection));
    const sentinel = await spawnRedis([path, '--sentinel']);
    opened.defer(() => sentinel?.stop());
  }
  const access = protection && { tls: {}, password: protection.password };
  const sentinels = ports.map((port) => openSentinel(port, access));
  for (const sentinel of sentinels) opened.defer(() => sentinel.disconnect());
  await untilWhole({ sentinels, nodes: [master, replica] });
  const client = openClient(ports, access);
  opened.defer(() => client.disconnect());

  const trio = { sentinels, nodes: [master, replica] };
  const closing = opened.move();
  return {
    url: urlOf(ports, protection),
    ...{ master, replica, client },
    failOver: () => failOver(trio),
    rejoin: () => rejoin(trio),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

function fileOf(port: number, masterPort: number, protection: Protection | undefined): string {
  const at = protection ? settingsOf(protection, port) : { port };
  return [
    ...Object.entries(at).map(([name, value]) => `${name} ${value}`),
    'bind 127.0.0.1',
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 5000`,
    ...(protection ? [`sentinel auth-pass ${NAME} ${protection.password}`] : []),
    '',
  ].join('\n');
}

type Access = { tls: object; password: string } | undefined;

function urlOf(ports: number[], protection: Protection | undefined): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const password = protection?.password ?? '';
  return protection
    ? `rediss+sentinel://:${password}@${hosts}/${NAME}?sentinel_password=${password}`
    : `redis+sentinel://${hosts}/${NAME}`;
}

function openSentinel(port: number, access: Access): Redis {
  const sentinel = new Redis({
    port,
    host: '127.0.0.1',
    ...access,
    retryStrategy: () => 50,
    maxRetriesPerRequest: 200,
  });
  return sentinel.on('error', () => {});
}

function openClient(ports: number[], access: Access): Redis {
  const sentinels = ports.map((port) => ({ host: '127.0.0.1', port }));
  const again = { retryStrategy: () => 50, sentinelRetryStrategy: () => 50, maxRetriesPerRequest: 400 };
  // The old master may become a replica while the connection stays. Then the command is sent to the new master.
  const reconnectOnError = ({ message }: Error) => (message.startsWith('READONLY') ? 2 : false);
  const protection = access && {
    ...access,
    sentinelPassword: access.password,
    enableTLSForSentinelMode: true,
    sentinelTLS: {},
  };
  const client = new Redis({ sentinels, name: NAME, lazyConnect: true, reconnectOnError, ...again, ...protection });
  return client.on('error', () => {});
}

type Trio = { sentinels: Redis[]; nodes: TestRedis[] };

async function failOver(trio: Trio): Promise<void> {
  const before = await masterPortOf(trio);
  await trio.nodes.find(({ port }) => port === before)?.kill();
  await waitUntil(async () => (await masterPortOf(trio)) !== before, 'the Sentinels have promoted the replica');
}

/** Returns the port of the master, once all Sentinels agree. */
async function masterPortOf({ sentinels }: Trio): Promise<number> {
  const answers = await Promise.all(sentinels.map((one) => one.call('sentinel', 'get-master-addr-by-name', NAME)));
  const ports = new Set(answers.map((answer) => Number((answer as string[])[1])));
  if (ports.size !== 1) throw new Error(`The Sentinels do not agree: ${[...ports].join(', ')}.`);
  return [...ports][0] ?? 0;
}

/** Rejoins the node. It was the master before, and would need some seconds to learn that it is not. */
async function rejoin(trio: Trio): Promise<void> {
  await waitUntil(async () => {
    const port = await masterPortOf(trio);
    for (const node of trio.nodes.filter((one) => one.port !== port)) {
      await node.start();
      if (!(await follows(node))) await node.client.replicaof('127.0.0.1', port);
    }
    return true;
  }, 'one Redis server follows the other');
  await untilWhole(trio);
}

/** Waits until a failover is possible: each Sentinel knows the others and a replica that follows. */
async function untilWhole({ sentinels, nodes }: Trio): Promise<void> {
  await waitUntil(async () => {
    const port = await masterPortOf({ sentinels, nodes });
    const known = await Promise.all(sentinels.map(knownTo));
    const replicas = nodes.filter((node) => node.port !== port);
    return known.every(Boolean) && (await Promise.all(replicas.map(follows))).every(Boolean);
  }, 'the Sentinels know each other and a replica');
}

async function knownTo(sentinel: Redis): Promise<boolean> {
  const fieldsOf = (known: unknown) => (name: string) =>
    (known as string[])[(known as string[]).indexOf(name) + 1] ?? '';
  const master = fieldsOf(await sentinel.call('sentinel', 'master', NAME));
  const replicas = (await sentinel.call('sentinel', 'replicas', NAME)) as unknown[];
  const areUp = replicas.every((replica) => fieldsOf(replica)('flags') === 'slave');
  return master('flags') === 'master' && master('num-other-sentinels') === '2' && replicas.length === 1 && areUp;
}

async function follows({ client }: TestRedis): Promise<boolean> {
  return (await client.info('replication')).includes('master_link_status:up');
}
