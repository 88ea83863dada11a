import postgres from 'postgres';
import type { Contender } from '../contender.ts';
import type { Ground } from '../ground/open-ground.ts';
import { CALLS, ROUNDS } from '../work.ts';
import { writeEnd, writeResult, writeRound, writeStart, writeTurn } from './write-checkpoint.ts';

/** More than two cores can keep busy: whatever waits for the disk shares its next write. More yet brought nothing. */
const CONNECTIONS = 32;

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
    // One after the other: side by side they would only wait for each other's lock on the turn.
    for (const index of CALLS.keys()) await writeResult(sql, { turnId, round, index });
  }
  await writeEnd(sql, turnId);
}
