import postgres from 'postgres';
import type { Contender } from '../contender.ts';
import type { Ground } from '../ground/open-ground.ts';
import { CALLS, ROUNDS } from '../work.ts';
import { writeEnd, writeResult, writeRound, writeStart, writeTurn } from './write-checkpoint.ts';

/** As many as Pawl opens: with more of them PostgreSQL has more commits to put in one write to the disk. */
const CONNECTIONS = 10;

/** The rows of a turn and nothing else: the same tables, a statement and a durable commit for each checkpoint. */
export async function postgresAlone(ground: Ground): Promise<Contender> {
  const sql = postgres(await ground.postgres.freshDatabase(), { max: CONNECTIONS, onnotice: () => {} });
  return {
    playTurn: () => playTurn(sql),
    pids: {},
    close: () => sql.end({ timeout: 5 }),
  };
}

async function playTurn(sql: postgres.Sql): Promise<void> {
  const turnId = await writeTurn(sql);
  await writeStart(sql, turnId);
  for (let round = 1; round < ROUNDS; round += 1) {
    await writeRound(sql, turnId, round);
    await Promise.all(CALLS.map((_, index) => writeResult(sql, { turnId, round, index })));
  }
  await writeEnd(sql, turnId);
}
