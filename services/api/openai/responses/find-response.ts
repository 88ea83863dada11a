import type { Db } from '#core/checkpoint/tables.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { turnIdOf } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * Finds the turn of a project's response. An impossible id, an id of another project, and the id of a deleted or
 * unstored response are the same 404.
 */
export async function findOwnResponse(db: Db, project: string, id: string): Promise<Turn> {
  const turnId = turnIdOf(id);
  const turn = turnId === undefined ? undefined : await findTurn(db, project, turnId);
  if (turn?.stored) return turn;
  throw responseNotFound();
}

/** Returns the refusal of a response that does not exist, or no longer exists. */
export function responseNotFound(): RequestRefused {
  const message =
    'Response not found. Check its id, and that the API key belongs to its project. Responses with `store: false` cannot be retrieved.';
  return new RequestRefused(404, 'response_not_found', message, 'id');
}
