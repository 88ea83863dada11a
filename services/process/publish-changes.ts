import type { Db } from '#core/checkpoint/tables.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { Log } from './log.ts';
import type { Parts } from './parts.ts';
import { reportTurnEnd } from './report-turn-end.ts';

export type Publishing = Pick<Parts, 'enqueue' | 'pubsub' | 'admission' | 'metrics' | 'tracer' | 'redact'> & {
  db: Db;
  log: Log;
};

type Published = { wakeups: Wakeup[]; ended?: string[]; changed?: string[]; joined?: string[] };

/**
 * Publishes a commit: enqueues wakeups, admits turns, notifies workers, and wakes the watchers. `ended` must contain
 * only turns that this commit has ended, since they are counted. `joined` are turns that an input has joined.
 */
export async function publishChanges(
  context: Publishing,
  { wakeups, ended = [], changed = [], joined = [] }: Published,
): Promise<void> {
  const { enqueue, pubsub } = context;
  for (const turnId of ended) pubsub.publishToWorkers({ kind: 'cancelled', turnId });
  for (const turnId of joined) pubsub.publishToWorkers({ kind: 'joined', turnId });
  for (const turnId of [...ended, ...changed, ...joined]) pubsub.publishToTurn({ kind: 'wake', turnId });
  if (wakeups.length > 0) await enqueue(wakeups);
  context.admission.request();
  for (const turnId of ended) await reportEnd(turnId, context);
}

/** Reports the end of a turn. Skips a turn that cannot be read (any more), since the end itself is committed. */
async function reportEnd(turnId: string, { db, log, ...reporting }: Publishing): Promise<void> {
  try {
    const turn = await loadTurn(db, turnId);
    if (turn && isTerminal(turn.status)) reportTurnEnd(turn, { status: turn.status }, reporting);
  } catch (error) {
    log.debug({ err: error, turn_id: turnId }, 'the end of a turn could not be published');
  }
}
