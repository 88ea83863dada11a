import type { Turn } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { selectAgain, selectTurn } from './select-turns.ts';

/** A turn as it stands now; undefined when there is none of that id. What is `known` of it is not read again. */
export async function loadTurn(db: Db, id: string, known?: Turn): Promise<Turn | undefined> {
  return known ? selectAgain(db, known) : selectTurn(db, id, 'anybodys');
}
