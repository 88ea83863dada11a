import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '../../harness/links/open-link.ts';
import type { Harm, LinkMode } from '../../harness/links/passage.ts';
import type { ChaosHarness, Part } from '../open-harness.ts';
import { aimedAt, type Fault, type FaultOutcome } from './fault.ts';
import type { ScheduledFault } from './schedule.ts';

/** Makes a worker lose only PostgreSQL, in one of several ways. */
export function partWorker(mode: LinkMode): Fault {
  return async ({ workers }, scheduled) => {
    const worker = aimedAt(workers, scheduled);
    return { ...(await harm(worker.links.postgres, mode, scheduled)), scope: worker.name };
  };
}

/** Makes an API lose PostgreSQL, in one of several ways. */
export function partApi(mode: LinkMode): Fault {
  return async ({ apis }, scheduled) => ({
    ...(await harm(aimedAt(apis, scheduled).links.postgres, mode, scheduled)),
    scope: 'none',
  });
}

/** Makes one worker, or every part, lose Redis in one of several ways. */
export function partRedis(mode: LinkMode): Fault {
  return async (harness, scheduled) => {
    const isForAll = scheduled.aim < 0.3;
    const parts = isForAll ? partsOf(harness) : [aimedAt(harness.workers, { ...scheduled, kind: 'worker-kill' })];
    const links = parts.flatMap(({ links: { redis } }) => redis);
    const outcome = await harm(links, mode, scheduled);
    return { ...outcome, scope: isForAll ? 'all' : 'none' };
  };
}

/** Delays all bytes between all parts and all stores. */
export function delayAll(mode: LinkMode): Fault {
  return async (harness, scheduled) => ({
    ...(await harm(
      partsOf(harness).flatMap(({ links }) => [...links.postgres, ...links.redis]),
      mode,
      scheduled,
    )),
    scope: 'none',
  });
}

/** Resets all connections to PostgreSQL, and new connections for a while. */
export const cutPostgres: Fault = (harness, scheduled) => harm(postgresLinks(harness), 'cut', scheduled);

/** Slows all bytes to and from PostgreSQL. */
export const slowPostgres: Fault = (harness, scheduled) => harm(postgresLinks(harness), 'slow', scheduled);

/** Drops the answers of PostgreSQL to its executed statements, then resets the connections. */
export const loseAcks: Fault = async (harness, scheduled) => {
  const links = postgresLinks(harness);
  const outcome = await harm(links, 'drop-replies', scheduled);
  const hasCommit = links.some(({ harm: { droppedReplies } }) => droppedReplies.some(isCommit));
  // Writes are sent in groups, so a short time may pass without a commit.
  return { ...outcome, evidence: outcome.evidence && hasCommit ? `${outcome.evidence}, including commits` : null };
};

/**
 * Returns whether a reply shows a commit. A write is answered with its tag: each checkpoint is one statement, which
 * ends in a select.
 */
function isCommit(reply: string): boolean {
  return /(COMMIT|INSERT 0 [1-9]|UPDATE [1-9]|SELECT [1-9])/.test(reply);
}

function partsOf({ workers, apis }: ChaosHarness): Part[] {
  return [...workers, ...apis];
}

function postgresLinks(harness: ChaosHarness): Link[] {
  return partsOf(harness).flatMap(({ links }) => links.postgres);
}

async function harm(links: Link[], mode: LinkMode, { lastsMs }: ScheduledFault): Promise<FaultOutcome> {
  for (const link of links) link.harm.droppedReplies = [];
  const before = total(links);
  const ends = links.map((link) => link.impose(mode));
  await sleep(lastsMs);
  for (const end of ends) end();
  const done = total(links);
  const { what, count } = EVIDENCE[mode];
  const seen = count(done) - count(before);
  return { evidence: seen > 0 ? `${seen} ${what}` : null, endedAt: Date.now(), scope: 'all' };
}

type Sum = Record<Exclude<keyof Harm, 'droppedReplies'>, number>;

const HELD = { what: 'held bytes', count: ({ held }: Sum) => held };
const LATE = { what: 'late bytes', count: ({ slowed }: Sum) => slowed };

/** The evidence of each mode's effect. */
const EVIDENCE: Record<LinkMode, { what: string; count(sum: Sum): number }> = {
  pass: { what: '', count: () => 0 },
  cut: { what: 'resets', count: ({ resets }) => resets },
  blackhole: { what: 'dead connections', count: ({ frozen }) => frozen },
  hold: HELD,
  'hold-replies': HELD,
  'drop-replies': { what: 'lost bytes', count: ({ dropped }) => dropped },
  slow: LATE,
  lossy: LATE,
  delay: LATE,
};

function total(links: Link[]): Sum {
  const sum = (name: keyof Sum) => links.reduce((all, { harm: of }) => all + of[name], 0);
  return {
    ...{ resets: sum('resets'), frozen: sum('frozen') },
    ...{ slowed: sum('slowed'), held: sum('held'), dropped: sum('dropped') },
  };
}
