import { unixSeconds } from '#core/turn/resource/unix-seconds.ts';
import { itemIdOf, responseIdOf } from '#core/turn/responses/item-id.ts';
import { responseUsage } from '#core/turn/responses/present.ts';
import { isRefused } from '#core/turn/responses/status.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../../../context.ts';
import type { AnsweredError } from '../creating/answer-ended.ts';
import { loadUserMessages, ownUserMessages } from './user-messages.ts';

type Context = Pick<ApiContext, 'db' | 'stateSeals' | 'bodyLimit'>;

/** Presents a turn that wrote a summary as a compaction (contract-responses R71). */
export async function presentCompaction({ db, stateSeals, bodyLimit }: Context, turn: Turn) {
  const place = itemIdOf(turn.id, { kind: 'round', prefix: 'cmp', round: turn.rounds.length, call: null });
  const encrypted_content = stateSeals.sealSummary(turn.output ?? '', { project: turn.project, place });
  return {
    id: responseIdOf(turn.id),
    object: 'response.compaction' as const,
    created_at: unixSeconds(turn.createdAt),
    output: [
      ...(await loadUserMessages(db, turn)),
      ...(await ownUserMessages(db, turn, bodyLimit)),
      { id: place, type: 'compaction', encrypted_content },
    ],
    usage: responseUsage(turn),
  };
}

/**
 * Returns the error of a compaction: the error of its failed turn, or `compaction_failed` if the turn ended without a
 * whole summary.
 */
export function compactionError(turn: Turn): AnsweredError | null {
  const reason = problemOf(turn);
  if (turn.error || reason === null) return turn.error;
  const message = `The model wrote no summary: ${reason}. Ask another model, or send less.`;
  return { code: 'compaction_failed', message };
}

function problemOf(turn: Turn): string | null {
  const { status, incompleteReason, output } = turn;
  if (isRefused(turn)) return 'it refused';
  if (status !== 'completed') return `its reply ended early (${incompleteReason ?? status})`;
  return output?.trim() ? null : 'its reply was empty';
}
