import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { MARK, TIMESTAMP_DIGITS } from './send-deltas.ts';

/** Many streams, read as cheaply as possible: raw sockets that share one buffer, and only marks are parsed. */
export type Readers = {
  /** Deltas read so far, on all streams. */
  count(): number;
  /** How long each took from its sending, milliseconds. */
  delaysMs: number[];
  close(): Promise<void>;
};

const MAX_OPENING = 100;
const TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const MARK_BYTE = MARK.charCodeAt(0);
const BEGUN = 'HTTP/1.1 200';

/** Opens a stream of each path, in this order; resolves once all have begun to answer. */
export async function openReaders(url: string, paths: string[]): Promise<Readers> {
  const received = { begun: 0, deltas: 0, delaysMs: [] as number[] };
  const sockets: Socket[] = [];
  const deadline = performance.now() + TIMEOUT_MS;
  for (const path of paths) {
    sockets.push(openSocket(url, path, received));
    while (
      sockets.length - received.begun >= MAX_OPENING ||
      (sockets.length === paths.length && received.begun < paths.length)
    ) {
      if (performance.now() > deadline) throw new Error(tooSlow(received.begun, paths.length));
      await pause(received.begun === sockets.length ? 0 : POLL_MS / 10);
    }
  }
  return {
    count: () => received.deltas,
    delaysMs: received.delaysMs,
    close: async () => {
      const closed = sockets.map((socket) => (socket.closed ? undefined : once(socket, 'close')));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
      await pause(POLL_MS);
    },
  };
}

type Received = { begun: number; deltas: number; delaysMs: number[] };

const shared = Buffer.alloc(64 * 1024);

function openSocket(url: string, path: string, received: Received): Socket {
  const { host, hostname, port } = new URL(url);
  let hasBegun = false;
  const onBytes = (length: number) => {
    if (!hasBegun && shared.toString('latin1', 0, BEGUN.length) === BEGUN) {
      hasBegun = true;
      received.begun += 1;
    }
    collectDeltas(shared.subarray(0, length), received);
    return true;
  };
  const socket = connect({ host: hostname, port: Number(port), onread: { buffer: shared, callback: onBytes } });
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`);
  return socket;
}

/** A timestamp that is cut in two by the end of a chunk is counted and not timed; there are few. */
function collectDeltas(chunk: Buffer, received: Received): void {
  const now = Date.now();
  for (let index = chunk.indexOf(MARK_BYTE); index !== -1; index = chunk.indexOf(MARK_BYTE, index + 1)) {
    received.deltas += 1;
    const end = index + 1 + TIMESTAMP_DIGITS;
    if (end <= chunk.length) received.delaysMs.push(now - Number(chunk.toString('latin1', index + 1, end)));
  }
}

function tooSlow(begun: number, wanted: number): string {
  return `Only ${begun} of ${wanted} streams began within ${TIMEOUT_MS / 1000} s.`;
}
