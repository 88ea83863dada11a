import postgres from 'postgres';
import { newId } from '#core/id.ts';
import type { Contender, ContenderSetup } from '../contender.ts';
import { CALLS, type Work } from '../work.ts';
import { type Committer, commitEach, commitTogether } from './committer.ts';
import { writeEnd, writeResult, writeRound, writeStart, writeTurn } from './write-checkpoint.ts';

/** More than two cores can keep busy: all that wait for the disk share its next write. Yet more brought nothing. */
const CONNECTIONS = 32;

/** The rows of a turn and nothing else: the same tables, one statement for each checkpoint, nothing read. */
export async function rowsAlone(
  { databaseUrl, work }: ContenderSetup,
  commit: 'commit-each' | 'commit-together',
): Promise<Contender> {
  const sql = postgres(databaseUrl, { max: CONNECTIONS, onnotice: () => {} });
  const committer = commit === 'commit-each' ? commitEach(sql) : commitTogether(sql);
  return {
    playTurn: () => playTurn(committer, work),
    pids: {},
    close: () => sql.end({ timeout: 5 }),
  };
}

async function playTurn(commit: Committer, work: Work): Promise<void> {
  const turnId = newId('turn');
  await commit((sql) => writeTurn(sql, turnId, work));
  await commit((sql) => writeStart(sql, turnId));
  for (let round = 1; round < work.rounds; round += 1) {
    await commit((sql) => writeRound(sql, turnId, round));
    // One after the other: side by side they would only wait for each other's lock on the turn.
    for (const index of CALLS.keys()) await commit((sql) => writeResult(sql, { turnId, round, index }));
  }
  await commit((sql) => writeEnd(sql, turnId, work.rounds));
}
