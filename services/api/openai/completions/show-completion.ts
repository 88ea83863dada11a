import { saveAnswerHashes } from '#core/checkpoint/completions.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { chainedAnswer, extendHash } from '#core/turn/completions/chain-hash.ts';
import { turnIdOfCompletion } from '#core/turn/completions/completion-id.ts';
import { completionMessage } from '#core/turn/completions/completion-message.ts';
import { presentCompletion } from '#core/turn/completions/present-completion.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../../context.ts';
import { failureOf } from '../responses/creating/answer-ended.ts';

type Context = Pick<ApiContext, 'db' | 'log'>;

/**
 * Finds the turn of a project's completion. An impossible id, an id of another project, and the id of a deleted or
 * unstored completion are the same 404.
 */
export async function findOwnCompletion(db: Context['db'], project: string, id: string): Promise<Turn> {
  const turnId = turnIdOfCompletion(id);
  const turn = turnId === undefined ? undefined : await findTurn(db, project, turnId);
  if (turn?.stored) return turn;
  throw completionNotFound();
}

/** Returns the refusal of a completion that does not exist, or no longer exists. */
export function completionNotFound(): RequestRefused {
  const message =
    'Chat completion not found. Check its id, and that the API key belongs to its project. Completions with `store: false` are not kept.';
  return new RequestRefused(404, 'completion_not_found', message, 'id');
}

/**
 * Presents a completion to its client. First stores the hash of its answer, so that a later completion can continue
 * it.
 */
export async function showCompletion(context: Context, turn: Turn) {
  await storeAnswers(context, [turn]);
  return presentListed(turn);
}

/** Presents a completion of a list. A failed completion has an `error`. */
export function presentListed(turn: Turn) {
  return { ...presentCompletion(turn), ...(turn.error && { error: failureOf(turn.error) }) };
}

/**
 * Stores the hashes of completions that have answers. If the write fails, later completions do not show these
 * completions in `continues`. There is no other effect.
 */
export async function storeAnswers({ db, log }: Context, turns: readonly Turn[]): Promise<void> {
  const answers = turns.flatMap((turn) => {
    const hash = answerHash(turn);
    return hash === null ? [] : [{ turnId: turn.id, hash }];
  });
  await saveAnswerHashes(db, answers).catch((error: unknown) =>
    log.warn({ err: error }, 'could not store the hashes of answers, so their chains are not shown'),
  );
}

function answerHash({ config, ...turn }: Turn): string | null {
  const before = config.completion?.messagesHash;
  if (before === undefined || !isTerminal(turn.status) || turn.status === 'failed') return null;
  return extendHash(before, chainedAnswer(completionMessage({ config, ...turn })));
}
