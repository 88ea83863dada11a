import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { persevere } from '../site/persevere.ts';
import { emptyQueue } from './lose-queue.ts';
import type { Fault } from './proof.ts';

const LOSING_MS = 1_000;

/** A queue may be lost at a moment when nothing is in it: then it is lost again. */
const ATTEMPTS = 3;

/**
 * All rescuers find nothing to do for a while, although the queue has just been lost: a trigger passes over their
 * updates, which are those that raise `rescues`.
 */
export const pauseRescuers: Fault = async (site, { lastsMs }) => {
  const { sql } = site.postgres;
  await persevere(() => holdUpRescuers(sql));
  try {
    for (let attempt = 1; attempt <= ATTEMPTS && (await countPassedOver(sql)) === 0; attempt += 1) {
      await emptyQueue(site, LOSING_MS);
      await sleep(lastsMs);
    }
  } finally {
    await persevere(() => sql`drop trigger if exists chaos_no_rescue on turns`);
  }
  const endedAt = Date.now();
  const passedOver = await countPassedOver(sql);
  await persevere(() => sql`drop sequence if exists chaos_passed_over`);
  return { fired: passedOver > 0 ? `${passedOver} rescues passed over` : null, endedAt, scope: 'all' };
};

async function holdUpRescuers(sql: postgres.Sql): Promise<void> {
  await sql`create sequence if not exists chaos_passed_over`;
  await sql`create or replace function chaos_pass_over() returns trigger language plpgsql as $$
    begin perform nextval('chaos_passed_over'); return null; end $$`;
  await sql`create or replace trigger chaos_no_rescue before update of rescues on turns for each row
    when (new.rescues > old.rescues) execute function chaos_pass_over()`;
}

async function countPassedOver(sql: postgres.Sql): Promise<number> {
  const [row] = await persevere(
    () => sql<{ count: number }[]>`select last_value::int * is_called::int as count from chaos_passed_over`,
  );
  return row?.count ?? 0;
}
