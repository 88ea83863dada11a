import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { SOCKET_BOUNDS } from '#core/bounds/socket-bounds.ts';
import { RequestRefused } from '#core/failure.ts';
import type { ApiContext } from '../../../context.ts';
import { type AnswerRequest, type Creating, createOver } from './create-over.ts';
import { ownError, refusalMessage, steerFailed } from './socket-error.ts';
import { type CreateMessage, readSocketMessage } from './socket-message.ts';
import { makeSocketOutlet, type SocketOutlet } from './socket-outlet.ts';

/** Calls `expire` when a connection has been open for long enough. The returned function stops it. */
export type SocketTimer = (expire: () => void) => () => void;

/**
 * The parts that serve one connection. `opening` is the request that opened it. `arrived` is called for each message.
 * `enterWaiting` counts a message that waits, or returns null if the process has too many.
 */
export type SocketServing = Pick<Creating, 'kept'> & {
  context: Pick<ApiContext, 'db' | 'bodyLimit' | 'log' | 'isClosing'>;
  answer: AnswerRequest;
  opening: IncomingMessage;
  timer: SocketTimer;
  arrived(): void;
  enterWaiting(bytes: number): (() => void) | null;
};

/** A connection, and its responses that run. `messages` counts the messages without an answer. */
type Served = SocketServing & {
  socket: WebSocket;
  send(message: object): void;
  enterLane: EnterLane;
  running: Set<SocketOutlet>;
  keeping: Set<Promise<void>>;
  messages: number;
  isExpired: boolean;
};

/**
 * Serves a connection. Answers each `response.create` like `POST /v1/responses` with `stream: true`, with a message
 * for each event. If the client closes the connection, its running responses are cancelled like those of any closed
 * connection.
 */
export function serveSocket(socket: WebSocket, serving: SocketServing): void {
  const served: Served = {
    ...{ ...serving, socket, send: makeSendErrors(socket), enterLane: makeLanes() },
    ...{ running: new Set<SocketOutlet>(), keeping: new Set<Promise<void>>(), messages: 0, isExpired: false },
  };
  let reading = Promise.resolve();
  socket.on('message', (data: Buffer, isBinary) => {
    served.arrived();
    if (isBinary) return served.send(ownError('binary'));
    const stopWaiting = served.messages < SOCKET_BOUNDS.messages ? served.enterWaiting(data.length) : null;
    if (stopWaiting) {
      served.messages += 1;
      reading = reading.then(() => receive(served, data, stopWaiting));
    } else served.send(ownError('tooManyMessages'));
  });
  const stopTimer = serving.timer(() => expire(served));
  socket.once('close', () => {
    stopTimer();
    for (const outlet of served.running) outlet.destroy();
    served.kept.close();
  });
}

/** Reads a message. Answers it, or lets it wait for its lane. */
async function receive(served: Served, data: Buffer, stopWaiting: () => void): Promise<void> {
  const answered = () => {
    stopWaiting();
    served.messages -= 1;
  };
  try {
    const message = await readSocketMessage(data, served.context.bodyLimit);
    if (message.type === 'steer') served.send(steerFailed(message.steer));
    if (message.type === 'refused') served.send(message.error);
    if (message.type === 'create' && enter(served, message, { stopWaiting, answered })) return;
    if (message.type === 'create') served.send(ownError('tooManyLanes', message.streamId));
  } catch (error) {
    fail(served, error);
  }
  answered();
}

type Counted = { stopWaiting(): void; answered(): void };

function enter(served: Served, message: CreateMessage, { stopWaiting, answered }: Counted): boolean {
  const { streamId } = message;
  return served.enterLane(streamId, async () => {
    stopWaiting();
    await run(served, message).catch((error) => fail(served, error, streamId));
    answered();
  });
}

function fail({ send, context }: Served, error: unknown, streamId = ''): void {
  const isRefused = error instanceof RequestRefused;
  if (!isRefused) context.log.error({ err: error }, 'could not answer a message of a WebSocket');
  send(isRefused ? refusalMessage(error, streamId) : ownError('internal', streamId));
}

/** Closes a connection that has been open for long enough, once no response runs. */
function expire(served: Served): void {
  served.isExpired = true;
  if (served.running.size > 0) return;
  served.send(ownError('expired'));
  served.socket.close(1000, 'The connection has been open for 60 minutes.');
}

/** Answers a create request to its end. */
async function run(served: Served, message: CreateMessage): Promise<void> {
  const { socket, running, send, context } = served;
  if (context.isClosing()) return send(ownError('stopping', message.streamId));
  if (served.isExpired) return send(ownError('expired', message.streamId));
  if (socket.readyState !== socket.OPEN) return;
  const outlet = makeSocketOutlet((text, sent) => socket.send(text, { binary: false }, sent), message.streamId);
  running.add(outlet);
  await createOver(outlet, message, served).finally(() => running.delete(outlet));
  // A limit closed this stream because the client does not read. The rest of its events would be missing, so the
  // connection is closed.
  if (!outlet.writableFinished) socket.terminate();
  if (served.isExpired) expire(served);
}

/**
 * Returns a function that sends messages outside of streams, such as errors. A client that does not read them loses
 * its connection.
 */
function makeSendErrors(socket: WebSocket): (message: object) => void {
  let unread = 0;
  return (message) => {
    const text = Buffer.from(JSON.stringify(message));
    if (unread > SOCKET_BOUNDS.unreadBytes) return socket.terminate();
    unread += text.length;
    socket.send(text, { binary: false }, () => {
      unread -= text.length;
    });
  };
}

/** Runs work after all earlier work of its lane. Returns false if the connection may have no further lane. */
type EnterLane = (streamId: string, work: () => Promise<void>) => boolean;

/**
 * Makes the lanes of a connection: a lane for each `stream_id`, and a lane for messages without it. Work of the same
 * lane runs in sequence, and work of several lanes runs concurrently. `work` must not fail.
 */
function makeLanes(): EnterLane {
  const lastOf = new Map<string, Promise<void>>();
  const runAtMost = limitRunning(SOCKET_BOUNDS.running);
  return (streamId, work) => {
    const names = [...lastOf.keys()].filter((name) => name !== '');
    if (streamId !== '' && !lastOf.has(streamId) && names.length >= SOCKET_BOUNDS.lanes) return false;
    const last = (lastOf.get(streamId) ?? Promise.resolve()).then(() => runAtMost(work));
    lastOf.set(streamId, last);
    return true;
  };
}

/** Returns a function that runs a limited number of works at a time. Further works wait in order. */
function limitRunning(most: number): (work: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    await work();
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
}
