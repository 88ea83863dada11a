import { useEffect, useState } from 'preact/hooks';
import type { TurnEvent } from '#client/connect-pawl.ts';
import { CHECK_SERVER, call, pawl, refusalOf } from '../base/call.ts';
import { noteServerTime, serverNow } from '../base/time.ts';
import type { AdoptedCalls, Conversation, Delivery, Round, Turn } from '../base/turn.ts';
import { addLiveEvent, type LiveTurn, NOTHING_LIVE } from './live-turn.ts';
import { readResponse, type WatchedResponse } from './watched-response.ts';

export type DurableEvent = Extract<TurnEvent, { sequence_number: number }>;

/** The state of a turn as this page knows it. `readError` and `followError` are null after a success. */
export type Watched = WatchedResponse & {
  turn: Turn | null;
  conversation: Conversation | null;
  adopted: AdoptedCalls | null;
  rounds: Round[];
  events: DurableEvent[];
  deliveries: Delivery[];
  live: LiveTurn;
  isConnected: boolean;
  readError: Error | null;
  followError: Error | null;
};

export type KnownTurn = Watched & { turn: Turn };

const NOTHING_KNOWN: Watched = {
  ...{ turn: null, conversation: null, adopted: null, rounds: [], events: [], deliveries: [] },
  ...{ response: null, responseInput: null, live: NOTHING_LIVE, isConnected: true, readError: null, followError: null },
};

/** Watches a turn while its component is shown, and renders it at most once per animation frame. Null stops it. */
export function useWatched(id: string | null): Pick<ReturnType<typeof watchTurn>, 'watched' | 'refresh'> {
  const [watch, setWatch] = useState({ watched: NOTHING_KNOWN, refresh: () => {} });
  useEffect(() => {
    if (id === null) return;
    let frame = 0;
    const render = () => {
      frame = 0;
      setWatch({ watched, refresh });
    };
    const { watched, refresh, stop } = watchTurn(id, () => {
      frame ||= requestAnimationFrame(render);
    });
    const comeBack = () => document.visibilityState === 'visible' && refresh();
    document.addEventListener('visibilitychange', comeBack);
    return () => {
      stop();
      cancelAnimationFrame(frame);
      document.removeEventListener('visibilitychange', comeBack);
    };
  }, [id]);
  return watch;
}

/** Watches a turn. Reads durable state when its event arrives, and applies live events at once. */
function watchTurn(id: string, changed: () => void) {
  const watched: Watched = { ...NOTHING_KNOWN, events: [] };
  const leaving = new AbortController();
  const { signal } = leaving;
  let isFollowing = false;

  const keepError = (field: 'readError' | 'followError') => (error: unknown) => {
    if (signal.aborted) return;
    watched[field] = refusalOf(error);
    changed();
  };
  const read = oneAtATime(() => readAll(id, watched, signal).then(changed, keepError('readError')));
  const stopReading = readRepeatedly(watched, read);

  const receive = (event: TurnEvent) => {
    if ('sequence_number' in event) {
      watched.events.push(event);
      noteServerTime(event.created_at);
      if (event.sequence_number > (watched.turn?.last_event ?? 0)) read();
    } else watched.live = addLiveEvent(watched.live, event, new Date(serverNow()).toISOString());
    changed();
  };
  const connected = (isConnected: boolean) => {
    watched.isConnected = isConnected;
    changed();
  };
  const follow = async () => {
    if (isFollowing) return;
    isFollowing = true;
    const after = watched.events.at(-1)?.sequence_number ?? 0;
    const events = pawl.turns.attach(id).events({ after, connected, signal, patienceMs: Number.POSITIVE_INFINITY });
    try {
      for await (const event of events) receive(event);
    } catch (error) {
      keepError('followError')(error instanceof SyntaxError ? new Error(NOT_JSON) : error);
    } finally {
      isFollowing = false;
    }
  };
  /** Reads everything again, and follows a turn that continues. */
  const refresh = () => {
    Object.assign(watched, { readError: null, followError: null });
    read();
    follow();
  };
  refresh();
  const stop = () => {
    stopReading();
    leaving.abort();
  };
  return { watched, refresh, stop };
}

const NOT_JSON = `An event of the stream is not valid JSON. ${CHECK_SERVER}`;

async function readAll(id: string, watched: Watched, signal: AbortSignal): Promise<void> {
  const path = `/v1/turns/${encodeURIComponent(id)}`;
  // Read the turn first: everything that is read later is at least as new as its last event.
  const turn = await call<Turn>('GET', path, { signal });
  const conversationPath = `/v1/conversations/${turn.conversation_id}`;
  const [ledger, deliveries, conversation, response] = await Promise.all([
    call<{ data: Round[]; adopted_calls?: AdoptedCalls }>('GET', `${path}/rounds`, { signal }),
    call<{ data: Delivery[] }>('GET', `${path}/deliveries`, { signal }),
    watched.conversation ?? call<Conversation>('GET', conversationPath, { signal }),
    readResponse(turn, watched, signal),
  ]);
  const lists = { adopted: ledger.adopted_calls ?? null, rounds: ledger.data, deliveries: deliveries.data };
  Object.assign(watched, { turn, conversation, ...response, ...lists, readError: null });
}

/** Reads the state that no event announces at intervals, until the returned function is called. */
function readRepeatedly(watched: Watched, read: () => unknown): () => void {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    const isPending = watched.deliveries.some(({ status }) => status === 'pending');
    // The start of a call is a live event, which the page can miss.
    if (hasUnstartedCall(watched) || (seconds % 3 === 0 && (isPending || isWaiting(watched)))) read();
  }, 1_000);
  return () => clearInterval(timer);
}

/** Returns whether a turn waits. No event announces a change of the reason. */
function isWaiting({ turn }: Watched): boolean {
  return turn !== null && turn.completed_at === null && (turn.status === 'queued' || turn.waiting !== null);
}

/** Returns whether a call only waits for a worker, as far as this page knows. */
function hasUnstartedCall({ turn, adopted, rounds, live }: Watched): boolean {
  if (turn?.status !== 'in_progress' || turn.phase !== 'tool_batch') return false;
  const results = (rounds.at(-1) ?? adopted)?.results ?? [];
  return results.some(({ status, waits_for: whom, approval, tool_call_id: id }) => {
    return status === 'pending' && (whom === null || approval !== null) && !live.calls[id];
  });
}

/** Returns a function that runs `work`, never twice at a time. A call while `work` runs makes it run once more. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isRunning = false;
  let isRequested = false;
  return async () => {
    isRequested = true;
    if (isRunning) return;
    isRunning = true;
    while (isRequested) {
      isRequested = false;
      await work();
    }
    isRunning = false;
  };
}
