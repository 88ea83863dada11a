import type { Db } from '#core/checkpoint/tables.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { turnIdOfCompletion } from '#core/turn/completions/completion-id.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * Finds the turn that a project's completion is. An id that cannot exist, one of another project, and one that was deleted
 * or was not stored are the same 404 (contract-responses R1, R14, R80).
 */
export async function findOwnCompletion(db: Db, project: string, id: string): Promise<Turn> {
  const turnId = turnIdOfCompletion(id);
  const turn = turnId === undefined ? undefined : await findTurn(db, project, turnId);
  if (turn?.stored) return turn;
  throw completionNotFound();
}

/** Makes the refusal of a completion that does not exist, or no longer does. */
export function completionNotFound(): RequestRefused {
  const message = 'The chat completion was not found. Check its id and the API key. With store: false, none is kept.';
  return new RequestRefused(404, 'completion_not_found', message, 'id');
}
