import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { MARK, MOMENT_DIGITS } from './speak.ts';

/** Many streams being read as cheaply as can be: raw sockets that share one buffer, and nothing is parsed but marks. */
export type Readers = {
  /** Deltas that were read so far, on all streams. */
  count(): number;
  /** How long each took from when it was said, milliseconds. */
  delaysMs: number[];
  close(): Promise<void>;
};

const AT_ONCE = 100;
const PATIENCE_MS = 30_000;
const POLL_MS = 50;
const MARK_BYTE = MARK.charCodeAt(0);
const BEGUN = 'HTTP/1.1 200';

/** Opens a stream of each path, in this order; resolves when all have begun to answer. */
export async function openReaders(url: string, paths: string[]): Promise<Readers> {
  const heard = { begun: 0, deltas: 0, delaysMs: [] as number[] };
  const sockets: Socket[] = [];
  const deadline = performance.now() + PATIENCE_MS;
  for (const path of paths) {
    sockets.push(openSocket(url, path, heard));
    while (sockets.length - heard.begun >= AT_ONCE || (sockets.length === paths.length && heard.begun < paths.length)) {
      if (performance.now() > deadline) throw new Error(tooSlow(heard.begun, paths.length));
      await pause(heard.begun === sockets.length ? 0 : POLL_MS / 10);
    }
  }
  return {
    count: () => heard.deltas,
    delaysMs: heard.delaysMs,
    close: async () => {
      const closed = sockets.map((socket) => (socket.closed ? undefined : once(socket, 'close')));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
      await pause(POLL_MS);
    },
  };
}

type Heard = { begun: number; deltas: number; delaysMs: number[] };

const shared = Buffer.alloc(64 * 1024);

function openSocket(url: string, path: string, heard: Heard): Socket {
  const { hostname, port } = new URL(url);
  let hasBegun = false;
  const hear = (length: number) => {
    if (!hasBegun && shared.toString('latin1', 0, BEGUN.length) === BEGUN) {
      hasBegun = true;
      heard.begun += 1;
    }
    hearDeltas(shared.subarray(0, length), heard);
    return true;
  };
  const socket = connect({ host: hostname, port: Number(port), onread: { buffer: shared, callback: hear } });
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n\r\n`);
  return socket;
}

/** A moment that is cut in two by the end of a piece is counted and not timed; there are few. */
function hearDeltas(piece: Buffer, heard: Heard): void {
  const now = Date.now();
  for (let at = piece.indexOf(MARK_BYTE); at !== -1; at = piece.indexOf(MARK_BYTE, at + 1)) {
    heard.deltas += 1;
    const end = at + 1 + MOMENT_DIGITS;
    if (end <= piece.length) heard.delaysMs.push(now - Number(piece.toString('latin1', at + 1, end)));
  }
}

function tooSlow(begun: number, wanted: number): string {
  return `Only ${begun} of ${wanted} streams began within ${PATIENCE_MS / 1000} s.`;
}
