import postgres from 'postgres';
import { percentile } from '../percentile.ts';

const TRIES = 200;

/** How much longer a commit takes that waits for the disk than one that does not, milliseconds, in the middle. */
export async function probeFsync(databaseUrl: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await sql`create table if not exists probe (number int)`;
    await sql`set synchronous_commit = on`;
    const durableMs = await commitMs(sql);
    await sql`set synchronous_commit = off`;
    return Math.max(0, durableMs - (await commitMs(sql)));
  } finally {
    await sql`drop table if exists probe`;
    await sql.end({ timeout: 1 });
  }
}

async function commitMs(sql: postgres.Sql): Promise<number> {
  const durationsMs: number[] = [];
  for (let number = 0; number < TRIES; number += 1) {
    const from = performance.now();
    await sql`insert into probe values (${number})`;
    durationsMs.push(performance.now() - from);
  }
  return percentile(durationsMs, 0.5);
}
