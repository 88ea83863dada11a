import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { LiveEvent } from '#core/turn/event.ts';
import { whenToSend } from '../progress.ts';
import type { WatchedTurn } from '../watched-turn.ts';

/** The live events of a watched turn. They are received while the turn has streams. */
export type LiveEvents = {
  open(): void;
  /** Asks the workers for missing events of the running round. */
  requestMissing(): void;
  /** Forgets the received events. */
  close(): void;
};

/** Receives live events for the streams of a turn. An event that is newer than the last read calls `readAhead`. */
export function receiveLiveEvents(
  watched: WatchedTurn,
  pubsub: Pick<Pubsub, 'subscribeToEvents' | 'publishToWorkers'>,
  readAhead: () => void,
): LiveEvents {
  const { id, streams, liveBuffer } = watched;
  const request = requestTwice({
    isNeeded: () => streams.size > 0 && watched.progress !== undefined && liveBuffer.isBehind(watched.progress),
    request: () => pubsub.publishToWorkers({ kind: 'catch-up', turnId: id }),
  });
  let unsubscribe: (() => void) | undefined;

  function receive(event: LiveEvent): void {
    const { progress } = watched;
    liveBuffer.add(event, progress);
    const when = progress && whenToSend(event, progress);
    if (when === 'later') readAhead();
    if (when !== 'now') return;
    for (const stream of streams) stream.advance();
    request.check();
  }
  return {
    open: () => {
      unsubscribe ??= pubsub.subscribeToEvents(id, receive);
    },
    requestMissing: request.check,
    close: () => {
      unsubscribe?.();
      unsubscribe = undefined;
      liveBuffer.clear();
      request.close();
    },
  };
}

const AGAIN_MS = 300;

/** Sends a request if needed, and again shortly after if still needed, because request and answer may get lost. */
function requestTwice({ isNeeded, request }: { isNeeded(): boolean; request(): void }) {
  let timer: NodeJS.Timeout | undefined;

  function requestAgain(): void {
    timer = undefined;
    if (isNeeded()) request();
  }

  return {
    check: () => {
      if (timer || !isNeeded()) return;
      request();
      timer = setTimeout(requestAgain, AGAIN_MS);
    },
    close: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
