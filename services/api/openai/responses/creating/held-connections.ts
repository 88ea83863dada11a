import type { ServerResponse } from 'node:http';
import { cancelTurn } from '#core/checkpoint/turns/cancel.ts';
import type { Turn } from '#core/turn/turn.ts';
import { type Publishing, publishChanges } from '../../../../process/publish-changes.ts';
import type { ApiContext } from '../../../context.ts';

/** The connections on which callers wait for responses that they started in the foreground. */
export type HeldConnections = {
  /**
   * Keeps a connection open however long the response takes. When its caller closes it, as the last one that waits here,
   * the response is cancelled, unless `goesOn` (contract-responses R13).
   */
  hold(connection: ServerResponse, turn: Turn, options: { goesOn: boolean }): void;
};

type Context = Publishing & Pick<ApiContext, 'isClosing'>;

/** A peer that vanished without a word is noticed by TCP, which begins to ask after this silence. */
const KEEP_ALIVE_MS = 15_000;

/** Makes the connections of a process. One that the process closes by itself cancels nothing. */
export function makeHeldConnections(context: Context): HeldConnections {
  const countOf = new Map<string, number>();

  function leave(turn: Turn): boolean {
    const left = (countOf.get(turn.id) ?? 1) - 1;
    if (left > 0) countOf.set(turn.id, left);
    else countOf.delete(turn.id);
    return left === 0;
  }
  return {
    hold: (connection, turn, { goesOn }) => {
      countOf.set(turn.id, (countOf.get(turn.id) ?? 0) + 1);
      connection.socket?.setTimeout(0).setKeepAlive(true, KEEP_ALIVE_MS);
      const closed = () => {
        const isLast = leave(turn);
        if (isLast && !goesOn && !connection.writableFinished && !context.isClosing()) void cancel(context, turn);
      };
      if (connection.destroyed) closed();
      else connection.once('close', closed);
    },
  };
}

/** A cancel that cannot be written leaves the response as it is: it only costs what the caller did not want. */
async function cancel(context: Context, { id, project }: Turn): Promise<void> {
  const { db, log } = context;
  try {
    const cancelled = await db.transaction().execute((trx) => cancelTurn(trx, project, id));
    if (!cancelled?.wasActive) return;
    await publishChanges(context, { wakeups: cancelled.wakeups, ended: [id] });
    log.info({ event: 'response.abandoned', turn_id: id }, 'a response was cancelled: its caller went away');
  } catch (error) {
    log.warn({ turn_id: id, err: error }, 'a response whose caller went away could not be cancelled; it goes on');
  }
}
