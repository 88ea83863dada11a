import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { newFolder } from '../../new-folder.ts';
import { waitUntil } from '../../wait-until.ts';
import { openRedis, type TestRedis } from './open-redis.ts';
import type { Protection } from './protection.ts';

/** A cluster of three masters with a replica each. A replica takes over within seconds after its master's end. */
export type TestCluster = AsyncDisposable & {
  url: string;
  nodes: TestRedis[];
  /** Returns the node that is the present master of a key. */
  masterOf(key: string): Promise<TestRedis>;
};

const SLOTS = [
  [0, 5_460],
  [5_461, 10_922],
  [10_923, 16_383],
] as const;

/** Starts six nodes on free ports and makes them a cluster. Returns null if the PATH has no `redis-server`. */
export async function openCluster(protection?: Protection): Promise<TestCluster | null> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await newFolder('cluster'));
  const nodes: TestRedis[] = [];
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const node = await openRedis({ settings: settingsOf(folder.path, number, protection), protection });
    if (!node) return null;
    nodes.push(opened.use(node));
  }
  await joinNodes(nodes);

  const closing = opened.move();
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `${protection ? `rediss://:${protection.password}@` : 'redis://'}${hosts}`,
    nodes,
    masterOf: (key) => findMaster(nodes, key),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

function settingsOf(dir: string, number: number, protection?: Protection): Record<string, string> {
  const cluster = { 'cluster-enabled': 'yes', 'cluster-config-file': `node-${number}.conf` };
  const secured = protection && { 'tls-cluster': 'yes', masterauth: protection.password };
  return {
    ...cluster,
    ...secured,
    dir,
    databases: '1',
    'cluster-node-timeout': '2000',
    'repl-diskless-sync-delay': '0',
  };
}

/** Makes the first three nodes masters, and each other node a replica of a master. */
async function joinNodes(nodes: TestRedis[]): Promise<void> {
  for (const [index, [first, last]] of SLOTS.entries()) {
    await nodes[index]?.client.call('cluster', 'addslotsrange', first, last);
  }
  for (const [index, { client }] of nodes.entries()) await client.call('cluster', 'set-config-epoch', index + 1);
  for (const { port } of nodes.slice(1)) await nodes[0]?.client.call('cluster', 'meet', '127.0.0.1', port);
  await untilAll(nodes, async ({ client }) => /cluster_known_nodes:6\r/.test(await infoOf(client)));
  for (const [index, { client }] of nodes.slice(3).entries()) {
    await client.call('cluster', 'replicate', String(await nodes[index]?.client.call('cluster', 'myid')));
  }
  await untilAll(nodes, async ({ client }) => /cluster_state:ok/.test(await infoOf(client)));
  await untilAll(nodes.slice(3), async ({ client }) =>
    (await client.info('replication')).includes('master_link_status:up'),
  );
  // A replica can be elected after all masters know it as a replica.
  await untilAll(
    nodes,
    async ({ client }) => String(await client.call('cluster', 'nodes')).split('slave').length === 4,
  );
}

async function infoOf(client: Redis): Promise<string> {
  return String(await client.call('cluster', 'info'));
}

async function untilAll(nodes: TestRedis[], isSo: (node: TestRedis) => Promise<boolean>): Promise<void> {
  const look = async () => expect((await Promise.all(nodes.map(isSo))).every(Boolean)).toBe(true);
  await waitUntil(look);
}

async function findMaster(nodes: TestRedis[], key: string): Promise<TestRedis> {
  for (const node of nodes) {
    const client = new Redis(node.url, { retryStrategy: () => null, maxRetriesPerRequest: 0, lazyConnect: true });
    client.on('error', () => {});
    // Another node answers with the address of the master.
    const isMaster = await client.exists(key).then(
      () => true,
      () => false,
    );
    client.disconnect();
    if (isMaster) return node;
  }
  throw new Error(`The cluster has no master for ${key}.`);
}
