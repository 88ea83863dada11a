import { setTimeout as sleep } from 'node:timers/promises';
import type { Ring } from '#core/turn/ring.ts';
import type { Strike } from '../schedule.ts';
import type { Site } from '../site/open-site.ts';
import { persevere } from '../site/persevere.ts';
import type { Fault } from './proof.ts';

const LOOK_MS = 60;

/** Turns and deliveries whose old jobs come again, and how many of these are rung at once. */
const MANY = 40;

/** For a while every job has a twin under another id. */
export const doubleJobs: Fault = async (site, strike) => {
  const rung = new Set<string>();
  const until = Date.now() + strike.lastsMs;
  while (Date.now() < until) {
    const owed = (await persevere(() => owedNow(site))).filter((one) => !rung.has(nameOf(one)));
    await persevere(() => site.bell.ring(owed.map((one) => renumbered(one, strike, rung.size))));
    for (const one of owed) rung.add(nameOf(one));
    await sleep(LOOK_MS);
  }
  return { fired: rung.size > 0 ? `${rung.size} jobs doubled` : null, endedAt: Date.now(), scope: 'none' };
};

/** Jobs of long ago come again: of turns that have ended, of steps that are done, of deliveries that wait or are over. */
export const replayJobs: Fault = async (site, strike) => {
  const { sql } = site.postgres;
  const steps = await persevere(
    () => sql<Ring[]>`
    select 'turn' as kind, id as "turnId", step, provider, priority from (
      select id, provider, priority, unnest(array['r1', 'b1', 'r2', 'b2', step]) as step from turns order by id desc limit ${MANY}) as old`,
  );
  const deliveries = await persevere(
    () => sql<Ring[]>`select 'delivery' as kind, id as "deliveryId" from deliveries order by id desc limit ${MANY}`,
  );
  const rings = [...steps, ...deliveries].map((one, index) => renumbered(one, strike, index));
  for (let at = 0; at < rings.length; at += MANY) {
    await persevere(() => site.bell.ring(rings.slice(at, at + MANY)));
  }
  return { fired: rings.length > 0 ? `${rings.length} old jobs again` : null, endedAt: Date.now(), scope: 'none' };
};

/** What is owed now, as whoever committed it rang for it. */
async function owedNow({ postgres: { sql } }: Site): Promise<Ring[]> {
  const turns = await sql<Ring[]>`select 'turn' as kind, id as "turnId", step, ring as number, provider, priority
    from turns where due_at < 'infinity' and at_head and status <> 'requires_action'`;
  const deliveries = await sql<Ring[]>`select 'delivery' as kind, id as "deliveryId", ring as number
    from deliveries where status = 'pending'`;
  return [...turns, ...deliveries];
}

function nameOf(ring: Ring): string {
  return ring.kind === 'turn' ? `${ring.turnId} ${ring.step} ${ring.number}` : `${ring.deliveryId} ${ring.number}`;
}

/** Another number makes another job id; no ring number of a run comes near. */
function renumbered(ring: Ring, { number }: Strike, place: number): Ring {
  return { ...ring, number: 1_000_000 + number * 10_000 + place };
}
