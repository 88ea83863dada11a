import { ProviderFailed } from '../../../failure.ts';
import type { RunningResponse } from '../../../turn/background/background.ts';
import type { Reply } from '../../../turn/reply.ts';
import { costsNothing } from '../../errors/classify-breakage.ts';
import { classifyRefusal } from '../../errors/classify-refusal.ts';
import { nameFailure } from '../../errors/name-failure.ts';
import { type Call, type Reader, readInto } from '../../http/http-provider.ts';
import type { OpenedReply, Refusal } from '../../http/open-reply.ts';
import type { ServerEvent } from '../../http/read-events.ts';
import { StillRunning } from '../../interrupted.ts';
import type { ResponseState } from '../../provider.ts';
import { ForeignReply, UnusableReply } from '../../unusable-reply.ts';
import { isFinished, type ReplyAccumulator } from '../reply-accumulator.ts';
import { type OpenResponse, type ResponseCall, stateOf } from './kept-responses.ts';

/** How to read the responses of a server. */
export type Following = { open: OpenResponse; reader: Reader<ReplyAccumulator>; isPolled: boolean };

/** A response that a call follows, and its reply so far. */
type Followed = { id: string; reply: ReplyAccumulator; call: Call };

/** The connections in a row that may end without a new event, before the response is polled. */
const MOST_CUTS = 2;

/**
 * Follows a response to its end: reads it, and otherwise its stream from the last event on. Throws `StillRunning` if
 * the stream is refused or silent, or if the server does not answer. A lost or failed response is a `ProviderFailed`.
 */
export async function followResponse(followed: Followed, following: Following): Promise<Reply> {
  const { reply, call } = followed;
  const { reader, isPolled } = following;
  for (let cuts = 0; ; ) {
    const opened = await readWithin(followed, following);
    const state = stateOf(opened);
    if (opened?.kind === 'whole' && state.kind === 'ended') {
      await readInto(reply, opened, { reader, call });
      return reader.finish(reply, call);
    }
    const running = runningOrThrow(state, { opened, call });
    if (isPolled || cuts >= MOST_CUTS) throw new StillRunning(running);
    const before = reply.sequence;
    await readStream(followed, following, running);
    if (isFinished(reply)) return reader.finish(reply, call);
    cuts = reply.sequence === before ? cuts + 1 : 0;
  }
}

/**
 * Sends a request, and returns null if the server gave no usable answer. An answer that is too large would be so again.
 */
async function openOrNull(request: ResponseCall, { open }: Following): Promise<OpenedReply | Refusal | null> {
  try {
    return await open(request);
  } catch (error) {
    request.signal.throwIfAborted();
    if (error instanceof UnusableReply && !(error instanceof ForeignReply)) throw error;
    return null;
  }
}

/** Reads a response within the idle time of the call. */
async function readWithin({ id, call }: Followed, following: Following): Promise<OpenedReply | Refusal | null> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(idleMsOf(call))]);
  const reading = openOrNull({ id, kind: 'read', request: call.request, signal }, following);
  return await reading.catch((error: unknown) => {
    call.signal.throwIfAborted();
    if (signal.aborted) return null;
    throw error;
  });
}

type Running = Extract<ResponseState, { kind: 'running' }>;

/** Returns a running response. Throws for any other state of a response that has no reply. */
function runningOrThrow(
  state: ResponseState,
  { opened, call }: { opened: OpenedReply | Refusal | null; call: Call },
): Running {
  if (state.kind === 'running') return state;
  if (state.kind === 'lost') throw lost(call);
  if (state.kind === 'refused' && opened?.kind === 'refused') throw classifyRefusal(opened, call.asked);
  throw new StillRunning(UNKNOWN);
}

const UNKNOWN: RunningResponse = { isQueued: false, pollAfterMs: null };

function lost({ asked }: Call): ProviderFailed {
  return nameFailure('provider_unavailable', { ...asked, isLost: true });
}

async function readStream(followed: Followed, following: Following, running: Running): Promise<void> {
  const { id, reply, call } = followed;
  using line = openLine(call);
  const request = { id, after: reply.sequence, request: call.request, signal: line.signal };
  const opened = await openOrNull({ ...request, kind: 'stream' }, following);
  if (opened?.kind !== 'stream') throw new StillRunning(running);
  await readLive(reply, opened, { call, line, reader: following.reader });
}

/** A connection of a call. It ends with `StillRunning` after the idle time without a `refresh`. */
export type Line = Disposable & { signal: AbortSignal; refresh(): void };

/** Opens a line. Its idle time begins immediately. */
export function openLine(call: Call): Line {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new StillRunning(UNKNOWN)), idleMsOf(call));
  return {
    signal: AbortSignal.any([call.signal, silent.signal]),
    refresh: () => {
      if (!silent.signal.aborted) timer.refresh();
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

function idleMsOf({ request }: Call): number {
  return request.times?.idleTimeoutMs ?? LONGEST_TIMER_MS;
}

/** The maximum of a Node timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A live stream on a line. */
export type Live = { call: Call; line: Line; reader: Reader<ReplyAccumulator>; onEvents?: () => Promise<void> };

/**
 * Reads a stream until it ends or breaks. A break or an error in the stream is no failure of a response with an id,
 * since the response can be read. Throws `StillRunning` after the idle time without an event. `onEvents` runs after
 * the events of each chunk.
 */
export async function readLive(reply: ReplyAccumulator, opened: OpenedReply, live: Live): Promise<void> {
  const { call, line, reader } = live;
  const watched = opened.kind === 'stream' ? { ...opened, events: watch(opened.events, live) } : opened;
  try {
    await readInto(reply, watched, { reader, call });
  } catch (error) {
    line.signal.throwIfAborted();
    const isOfStream = error instanceof ProviderFailed && opened.kind === 'stream' && reply.id !== null;
    if (!isOfStream && !costsNothing(error)) throw error;
  }
}

async function* watch(
  events: AsyncGenerator<ServerEvent[]>,
  { line, onEvents }: Pick<Live, 'line' | 'onEvents'>,
): AsyncGenerator<ServerEvent[]> {
  for await (const each of events) {
    line.refresh();
    yield each;
    await onEvents?.();
  }
}
