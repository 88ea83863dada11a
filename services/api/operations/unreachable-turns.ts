import { countTurnsOfOtherProjects, MAX_COUNTED, type ProjectTurns } from '#core/checkpoint/counts.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Log } from '../../process/log.ts';
import { type ApiKeys, KEYLESS_PROJECT } from '../http/api-keys.ts';

/** Warns the operator of turns that no caller can reach, because no key opens their project. */
export async function logUnreachableTurns(db: Db, { projects, areSet }: ApiKeys, log: Log): Promise<void> {
  for (const found of await countTurnsOfOtherProjects(db, projects)) {
    log.warn(
      { event: 'turns.unreachable', project: found.project },
      `${countOf(found)} ${areSet ? withKeys(found) : withoutKeys(found)}`,
    );
  }
}

function countOf({ turns }: ProjectTurns): string {
  return turns > MAX_COUNTED
    ? `More than ${MAX_COUNTED} turns belong`
    : `${turns} turn${turns === 1 ? ' belongs' : 's belong'}`;
}

function withKeys({ project }: ProjectTurns): string {
  const origin = project === KEYLESS_PROJECT ? ' (the project of turns created without keys)' : '';
  return `to the project ${project}${origin}, but no key belongs to that project. Add ${project}:<a key> to PAWL_API_KEYS to reach them.`;
}

function withoutKeys({ project }: ProjectTurns): string {
  return `to the project ${project}, which is not reachable without keys. Set PAWL_API_KEYS=${project}:<a key> to reach them.`;
}
