import { countTurnsBeyond, MOST_COUNTED, type ProjectTurns } from '#core/checkpoint/count-turns-beyond.ts';
import type { Db } from '#core/checkpoint/database.ts';
import type { Log } from '../log.ts';
import { type ApiKeys, KEYLESS_PROJECT } from './api-keys.ts';

/** Tells the operator of turns that no caller can reach, as they belong to a project that no key opens. */
export async function tellHiddenTurns(db: Db, { projects, areSet }: ApiKeys, log: Log): Promise<void> {
  for (const found of await countTurnsBeyond(db, projects)) {
    log.warn({ project: found.project }, `${countOf(found)} ${areSet ? withKeys(found) : withoutKeys(found)}`);
  }
}

function countOf({ turns }: ProjectTurns): string {
  return turns > MOST_COUNTED
    ? `More than ${MOST_COUNTED} turns belong`
    : `${turns} turn${turns === 1 ? ' belongs' : 's belong'}`;
}

function withKeys({ project }: ProjectTurns): string {
  const origin = project === KEYLESS_PROJECT ? ' (that of turns from the time without keys)' : '';
  return `to the project ${project}${origin}, which no key opens. Add ${project}:<a key> to PAWL_API_KEYS to reach them.`;
}

function withoutKeys({ project }: ProjectTurns): string {
  return `to the project ${project}, which is not reached without keys. Set PAWL_API_KEYS=${project}:<a key> to reach them.`;
}
