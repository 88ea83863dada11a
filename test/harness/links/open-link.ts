import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { carry, isHeld } from './carry.ts';
import { type Direction, type Harm, type LinkMode, type Passage, type State, WORST_FIRST } from './passage.ts';

/** A TCP proxy on loopback between one part of Pawl and one store. */
export type Link = AsyncDisposable & {
  port: number;
  /** Ends every mode that is on, and begins this mode. */
  setMode(mode: LinkMode): void;
  /** Begins a mode beside others. The link follows the worst mode. The returned function ends the mode. */
  impose(mode: LinkMode): () => void;
  /** Sends new connections to another port. */
  setTarget(port: number): void;
  harm: Harm;
};

/** Opens a link to a port of this machine. */
export async function openLink(targetPort: number): Promise<Link> {
  const harm: Harm = { resets: 0, frozen: 0, slowed: 0, held: 0, dropped: 0, droppedReplies: [] };
  const state: State = { mode: 'pass', modeEnded: Promise.withResolvers(), harm, passages: new Set() };
  let target = targetPort;
  let modes: { mode: LinkMode }[] = [];
  const server = createServer((client) => accept(client, connect(target, '127.0.0.1'), state));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    setMode: (mode) => {
      modes = [{ mode }];
      changeMode(mode, state);
    },
    impose: (mode) => {
      const own = { mode };
      modes.push(own);
      changeMode(worstOf(modes), state);
      return () => {
        modes = modes.filter((one) => one !== own);
        changeMode(worstOf(modes), state);
      };
    },
    setTarget: (port) => {
      target = port;
    },
    harm,
    [Symbol.asyncDispose]: async () => {
      server.close();
      changeMode('pass', state);
      for (const { client, server: upstream } of state.passages) {
        client.destroy();
        upstream.destroy();
      }
    },
  };
}

function worstOf(modes: { mode: LinkMode }[]): LinkMode {
  return WORST_FIRST.find((mode) => modes.some((one) => one.mode === mode)) ?? 'pass';
}

function accept(client: Socket, server: Socket, state: State): void {
  const passage: Passage = { client, server, isLost: false };
  state.passages.add(passage);
  for (const socket of [client, server]) {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => void close(passage, socket === client ? 'request' : 'reply', state));
  }
  if (state.mode === 'cut') {
    reset(passage, state);
    return;
  }
  if (state.mode === 'blackhole') freeze(passage, state);
  for (const direction of ['request', 'reply'] satisfies Direction[]) carry(passage, direction, state);
}

function changeMode(mode: LinkMode, state: State): void {
  if (mode === state.mode) return;
  const passages = [...state.passages];
  if (state.mode === 'drop-replies') for (const passage of passages) if (passage.isLost) reset(passage, state);
  state.mode = mode;
  state.modeEnded.resolve();
  state.modeEnded = Promise.withResolvers();
  if (mode === 'cut') for (const passage of passages) reset(passage, state);
  if (mode === 'blackhole') for (const passage of passages) freeze(passage, state);
}

/**
 * Ends a connection, which is held as its bytes are. After a loss of bytes the part does not learn of the
 * store's end. Only the end of the part itself frees the connection.
 */
async function close(passage: Passage, direction: Direction, state: State): Promise<void> {
  if (passage.isLost && !passage.client.destroyed) return;
  while (isHeld(direction, state)) await state.modeEnded.promise;
  // Held bytes are sent before the end.
  await nextLoopIteration();
  state.passages.delete(passage);
  passage.client.destroySoon();
  passage.server.destroySoon();
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
