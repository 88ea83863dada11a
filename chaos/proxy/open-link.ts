import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { carry, type Direction } from './carry.ts';
import type { Harm, Link, LinkMode, Passage } from './link.ts';

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

/** A connection that lost bytes does not tell one side that the other has gone; only the part's own end frees it. */
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
