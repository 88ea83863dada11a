import type { Turn } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { selectTurn } from './select-turns.ts';

/** A project's own turn; another project's is as good as none. */
export async function findTurn(db: Db, project: string, id: string): Promise<Turn | undefined> {
  return selectTurn(db, id, { project });
}
