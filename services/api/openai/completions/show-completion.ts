import { saveAnswerHashes } from '#core/checkpoint/completions.ts';
import { chainedAnswer, extendHash } from '#core/turn/completions/chain-hash.ts';
import { completionMessage } from '#core/turn/completions/completion-message.ts';
import { presentCompletion } from '#core/turn/completions/present-completion.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../../context.ts';
import { failureOf } from '../responses/creating/answer-ended.ts';

type Context = Pick<ApiContext, 'db' | 'log'>;

/**
 * Presents a completion to its client. Stores the hash of its answer first, so that a later completion can continue it
 * (contract-responses R83).
 */
export async function showCompletion(context: Context, turn: Turn) {
  await storeAnswers(context, [turn]);
  return presentListed(turn);
}

/** Presents a completion of a list: a failed one has an `error`. */
export function presentListed(turn: Turn) {
  return { ...presentCompletion(turn), ...(turn.error && { error: failureOf(turn.error) }) };
}

/**
 * Stores the hashes of completions with their answers, of those that have one. If the write fails, later completions do not
 * show these in `continues`, and nothing else happens.
 */
export async function storeAnswers({ db, log }: Context, turns: readonly Turn[]): Promise<void> {
  const answers = turns.flatMap((turn) => {
    const hash = answerHash(turn);
    return hash === null ? [] : [{ turnId: turn.id, hash }];
  });
  await saveAnswerHashes(db, answers).catch((error: unknown) =>
    log.warn({ err: error }, 'the hashes of answers could not be stored; their chains are not shown'),
  );
}

function answerHash({ config, ...turn }: Turn): string | null {
  const before = config.completion?.messagesHash;
  if (before === undefined || !isTerminal(turn.status) || turn.status === 'failed') return null;
  return extendHash(before, chainedAnswer(completionMessage({ config, ...turn })));
}
