import type { Db } from '#core/checkpoint/tables.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { turnIdOf } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * The turn that a project's response is. An id that cannot exist, one of another project, and one that was deleted or was
 * never stored are the same 404 (contract-responses R1, R14, R28).
 */
export async function findOwnResponse(db: Db, project: string, id: string): Promise<Turn> {
  const turnId = turnIdOf(id);
  const turn = turnId === undefined ? undefined : await findTurn(db, project, turnId);
  if (turn?.stored) return turn;
  throw responseNotFound();
}

/** The refusal of a response that does not exist, or no longer does. */
export function responseNotFound(): RequestRefused {
  const message =
    'There is no response of this id. Check the id and the key; one that was not stored cannot be asked for.';
  return new RequestRefused(404, 'response_not_found', message, 'id');
}
