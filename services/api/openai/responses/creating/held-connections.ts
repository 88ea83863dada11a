import type { ServerResponse } from 'node:http';
import { cancelTurn } from '#core/checkpoint/turns/cancel.ts';
import type { Turn } from '#core/turn/turn.ts';
import { type Publishing, publishChanges } from '../../../../process/publish-changes.ts';
import type { ApiContext } from '../../../context.ts';

/** The connections on which callers wait for responses in the foreground. */
export type HeldConnections = {
  /**
   * Keeps a connection open for the duration of the response. If the last waiting caller closes its connection, the
   * response is cancelled, unless `goesOn`.
   */
  hold(connection: ServerResponse, turn: Turn, options: { goesOn: boolean }): void;
};

type Context = Publishing & Pick<ApiContext, 'isClosing'>;

/** TCP notices a peer that vanished without a message. It sends its first probe after this time of silence. */
const KEEP_ALIVE_MS = 15_000;

/** Makes the connections of a process. A connection that the process closes itself cancels no response. */
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

/** If the cancel cannot be written, the response continues. That only costs unneeded work. */
async function cancel(context: Context, { id, project }: Turn): Promise<void> {
  const { db, log } = context;
  try {
    const cancelled = await db.transaction().execute((trx) => cancelTurn(trx, project, id));
    if (!cancelled?.wasActive) return;
    await publishChanges(context, { wakeups: cancelled.wakeups, ended: [id] });
    log.info({ event: 'response.abandoned', turn_id: id }, 'cancelled a response, because its caller disconnected');
  } catch (error) {
    log.warn(
      { turn_id: id, err: error },
      'could not cancel a response after its caller disconnected, so the response continues',
    );
  }
}
