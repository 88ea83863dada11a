import { setTimeout as sleep } from 'node:timers/promises';
import type { Harm, Link, LinkMode } from '../proxy/link.ts';
import type { Strike } from '../schedule.ts';
import type { Part } from '../site/open-part.ts';
import type { Site } from '../site/open-site.ts';
import { aimedAt } from './aimed-at.ts';
import type { Fault, Proof } from './proof.ts';

/** A worker loses PostgreSQL: bytes vanish, sockets stay open. What it had open stays dead for good. */
export const cutOffWorker: Fault = async ({ workers }, strike) => {
  const worker = aimedAt(workers, strike);
  const proof = await harm([worker.links.postgres], 'blackhole', strike);
  return { ...proof, scope: worker.name };
};

/** An API loses PostgreSQL in the same way. */
export const cutOffApi: Fault = async ({ apis }, strike) => ({
  ...(await harm([aimedAt(apis, strike).links.postgres], 'blackhole', strike)),
  scope: 'none',
});

/** One worker, or everybody, loses Redis in the same way. */
export const cutOffRedis: Fault = async (site, strike) => {
  const isForAll = strike.aim < 0.3;
  const parts = isForAll ? partsOf(site) : [aimedAt(site.workers, { ...strike, kind: 'worker-kill' })];
  const links = parts.flatMap(({ links: { redis } }) => redis ?? []);
  const proof = await harm(links, 'blackhole', strike);
  return { ...proof, scope: isForAll ? 'all' : 'none' };
};

/** All connections to PostgreSQL are reset, and new ones too for a while. */
export const cutPostgres: Fault = (site, strike) => harm(postgresLinks(site), 'cut', strike);

/** Everything to and from PostgreSQL is slow. */
export const slowPostgres: Fault = (site, strike) => harm(postgresLinks(site), 'slow', strike);

/** PostgreSQL does what it is asked, and nobody gets its answer; then the connections are reset. */
export const loseAcks: Fault = async (site, strike) => {
  const links = postgresLinks(site);
  const proof = await harm(links, 'drop-replies', strike);
  const hasCommit = links.some(({ harm: { droppedReplies } }) => droppedReplies.some(isCommit));
  // Writes go in groups, so that a short moment may pass without a commit.
  return { ...proof, fired: proof.fired && hasCommit ? `${proof.fired}, commits among them` : null };
};

/** A statement that wrote is answered with its tag: our checkpoints are one statement each, which ends in a select. */
function isCommit(reply: string): boolean {
  return /(COMMIT|INSERT 0 [1-9]|UPDATE [1-9]|SELECT [1-9])/.test(reply);
}

function partsOf({ workers, apis }: Site): Part[] {
  return [...workers, ...apis];
}

function postgresLinks(site: Site): Link[] {
  return partsOf(site).map(({ links }) => links.postgres);
}

async function harm(links: Link[], mode: LinkMode, { lastsMs }: Strike): Promise<Proof> {
  for (const link of links) link.harm.droppedReplies = [];
  const before = total(links);
  for (const link of links) link.setMode(mode);
  await sleep(lastsMs);
  for (const link of links) link.setMode('pass');
  const done = total(links);
  const { resets, frozen, slowed, dropped } = Object.fromEntries(
    Object.entries(done).map(([name, count]) => [name, count - (before[name as keyof Sum] ?? 0)]),
  ) as Sum;
  const seen: Record<LinkMode, number> = {
    pass: 0,
    cut: resets,
    blackhole: frozen,
    slow: slowed,
    'drop-replies': dropped,
  };
  const what = {
    pass: '',
    cut: 'resets',
    blackhole: 'dead connections',
    slow: 'slow bytes',
    'drop-replies': 'lost bytes',
  };
  return { fired: seen[mode] > 0 ? `${seen[mode]} ${what[mode]}` : null, endedAt: Date.now(), scope: 'all' };
}

type Sum = Record<Exclude<keyof Harm, 'droppedReplies'>, number>;

function total(links: Link[]): Sum {
  const sum = (name: keyof Sum) => links.reduce((all, { harm: of }) => all + of[name], 0);
  return { resets: sum('resets'), frozen: sum('frozen'), slowed: sum('slowed'), dropped: sum('dropped') };
}
