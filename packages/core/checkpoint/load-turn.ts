import { sql } from 'kysely';
import type { Turn } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { selectTurns } from './select-turns.ts';

/** A turn as it stands now; undefined when there is none of that id. */
export async function loadTurn(db: Db, id: string): Promise<Turn | undefined> {
  return (await selectTurns(db, sql`id = ${id}`))[0];
}
