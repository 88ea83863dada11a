import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What a link does to the bytes on it.
 * - `cut`: connections are reset, new ones too.
 * - `blackhole`: bytes vanish without an error; connections that were open stay dead for good.
 * - `slow`: bytes come late and few at a time.
 * - `drop-replies`: requests arrive, answers do not; connections that lost one are reset when the mode ends.
 */
export type LinkMode = 'pass' | 'cut' | 'blackhole' | 'slow' | 'drop-replies';

/** What a link has done to its connections so far; `droppedReplies` has the last lost answers as text. */
export type Harm = { resets: number; frozen: number; slowed: number; dropped: number; droppedReplies: string[] };

/** A TCP proxy on loopback between one part of Pawl and one store. */
export type Link = AsyncDisposable & {
  port: number;
  setMode(mode: LinkMode): void;
  harm: Harm;
};

/** Opens a link to a port of this machine. */
export async function openLink(targetPort: number): Promise<Link> {
  const harm: Harm = { resets: 0, frozen: 0, slowed: 0, dropped: 0, droppedReplies: [] };
  const state: State = { mode: 'pass', harm, passages: new Set() };
  const server = createServer((client) => accept(client, connect(targetPort, '127.0.0.1'), state));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    setMode: (mode) => changeMode(mode, state),
    harm,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const { client, server: upstream } of state.passages) {
        client.destroy();
        upstream.destroy();
      }
    },
  };
}

type State = { mode: LinkMode; harm: Harm; passages: Set<Passage> };

/** A connection on its way through the link; `isLost` once bytes of it have vanished. */
type Passage = { client: Socket; server: Socket; isLost: boolean };

function accept(client: Socket, server: Socket, state: State): void {
  const passage: Passage = { client, server, isLost: false };
  state.passages.add(passage);
  for (const socket of [client, server]) {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => close(passage, state));
  }
  if (state.mode === 'cut') {
    reset(passage, state);
    return;
  }
  if (state.mode === 'blackhole') freeze(passage, state);
  for (const direction of ['request', 'reply'] satisfies Direction[]) carry(passage, direction, state);
}

function changeMode(mode: LinkMode, state: State): void {
  const passages = [...state.passages];
  if (state.mode === 'drop-replies') for (const passage of passages) if (passage.isLost) reset(passage, state);
  state.mode = mode;
  if (mode === 'cut') for (const passage of passages) reset(passage, state);
  if (mode === 'blackhole') for (const passage of passages) freeze(passage, state);
}

/** A connection that lost bytes hides from one side that the other is gone; only the part's own end frees it. */
function close(passage: Passage, { passages }: State): void {
  if (passage.isLost && !passage.client.destroyed) return;
  passages.delete(passage);
  passage.client.destroy();
  passage.server.destroy();
}

function reset(passage: Passage, { harm, passages }: State): void {
  harm.resets += 1;
  passages.delete(passage);
  passage.client.resetAndDestroy();
  passage.server.resetAndDestroy();
}

function freeze(passage: Passage, { harm }: State): void {
  if (!passage.isLost) harm.frozen += 1;
  passage.isLost = true;
}

type Direction = 'request' | 'reply';

const SLOW_DELAY_MS = 40;
const SLOW_BYTES = 4_096;
const KEPT_REPLIES = 20;

type CarryState = { readonly mode: LinkMode; harm: Harm };

/** Carries the bytes of one direction in their order, according to the link's mode; lost bytes are counted. */
function carry(passage: Passage, direction: Direction, state: CarryState): void {
  const { client, server } = passage;
  const [from, to] = direction === 'request' ? [client, server] : [server, client];
  let before: Promise<void> = Promise.resolve();
  let isWaiting = false;

  from.on('data', (bytes: Buffer) => {
    if (swallow(passage, direction, { bytes, state })) return;
    if (state.mode !== 'slow' && !isWaiting) return void to.write(bytes);
    isWaiting = true;
    state.harm.slowed += bytes.length;
    const mine = before.then(() => writeSlowly(bytes, to));
    before = mine;
    void mine.then(() => {
      if (before === mine) isWaiting = false;
    });
  });
  from.on('end', () => {
    if (!passage.isLost) void before.then(() => to.end());
  });
}

function swallow(
  passage: Passage,
  direction: Direction,
  { bytes, state }: { bytes: Buffer; state: CarryState },
): boolean {
  const { harm } = state;
  if (state.mode === 'drop-replies' && direction === 'reply') {
    passage.isLost = true;
    harm.droppedReplies = [...harm.droppedReplies, bytes.toString('latin1')].slice(-KEPT_REPLIES);
  } else if (!passage.isLost || state.mode === 'drop-replies') return false;
  harm.dropped += bytes.length;
  return true;
}

async function writeSlowly(bytes: Buffer, to: { write(bytes: Buffer): unknown; destroyed: boolean }): Promise<void> {
  for (let start = 0; start < bytes.length; start += SLOW_BYTES) {
    await sleep(SLOW_DELAY_MS);
    if (to.destroyed) return;
    to.write(bytes.subarray(start, start + SLOW_BYTES));
  }
}
