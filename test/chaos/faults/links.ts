import { setTimeout as sleep } from 'node:timers/promises';
import type { Harm, Link, LinkMode } from '../../harness/links/open-link.ts';
import type { ChaosHarness, Part } from '../open-harness.ts';
import { aimedAt, type Fault, type FaultOutcome } from './fault.ts';
import type { ScheduledFault } from './schedule.ts';

/** A worker loses PostgreSQL: bytes vanish, sockets stay open. Its open connections stay dead for good. */
export const cutOffWorker: Fault = async ({ workers }, scheduled) => {
  const worker = aimedAt(workers, scheduled);
  const outcome = await harm([worker.links.postgres], 'blackhole', scheduled);
  return { ...outcome, scope: worker.name };
};

/** An API loses PostgreSQL in the same way. */
export const cutOffApi: Fault = async ({ apis }, scheduled) => ({
  ...(await harm([aimedAt(apis, scheduled).links.postgres], 'blackhole', scheduled)),
  scope: 'none',
});

/** One worker, or every part, loses Redis in the same way. */
export const cutOffRedis: Fault = async (harness, scheduled) => {
  const isForAll = scheduled.aim < 0.3;
  const parts = isForAll ? partsOf(harness) : [aimedAt(harness.workers, { ...scheduled, kind: 'worker-kill' })];
  const links = parts.flatMap(({ links: { redis } }) => redis ?? []);
  const outcome = await harm(links, 'blackhole', scheduled);
  return { ...outcome, scope: isForAll ? 'all' : 'none' };
};

/** All connections to PostgreSQL are reset, and new ones too for a while. */
export const cutPostgres: Fault = (harness, scheduled) => harm(postgresLinks(harness), 'cut', scheduled);

/** Everything to and from PostgreSQL is slow. */
export const slowPostgres: Fault = (harness, scheduled) => harm(postgresLinks(harness), 'slow', scheduled);

/** PostgreSQL executes its statements, and the answers are lost; then the connections are reset. */
export const loseAcks: Fault = async (harness, scheduled) => {
  const links = postgresLinks(harness);
  const outcome = await harm(links, 'drop-replies', scheduled);
  const hasCommit = links.some(({ harm: { droppedReplies } }) => droppedReplies.some(isCommit));
  // Writes go in groups, so a short time may pass without a commit.
  return { ...outcome, evidence: outcome.evidence && hasCommit ? `${outcome.evidence}, commits among them` : null };
};

/** A statement that wrote is answered with its tag: each checkpoint is one statement, which ends in a select. */
function isCommit(reply: string): boolean {
  return /(COMMIT|INSERT 0 [1-9]|UPDATE [1-9]|SELECT [1-9])/.test(reply);
}

function partsOf({ workers, apis }: ChaosHarness): Part[] {
  return [...workers, ...apis];
}

function postgresLinks(harness: ChaosHarness): Link[] {
  return partsOf(harness).map(({ links }) => links.postgres);
}

async function harm(links: Link[], mode: LinkMode, { lastsMs }: ScheduledFault): Promise<FaultOutcome> {
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
  return { evidence: seen[mode] > 0 ? `${seen[mode]} ${what[mode]}` : null, endedAt: Date.now(), scope: 'all' };
}

type Sum = Record<Exclude<keyof Harm, 'droppedReplies'>, number>;

function total(links: Link[]): Sum {
  const sum = (name: keyof Sum) => links.reduce((all, { harm: of }) => all + of[name], 0);
  return { resets: sum('resets'), frozen: sum('frozen'), slowed: sum('slowed'), dropped: sum('dropped') };
}
