import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { createServer } from '#test/harness/servers/create-server.ts';
import { type Attack, attacks, markers, modelOf } from './attacks.ts';
import { type Wire, wires } from './wire-pieces.ts';

/** Starts a server in a separate thread that floods its clients. The path selects the wire, the model the attack. */
export async function startHostileServer() {
  const thread = new Worker(new URL(import.meta.url));
  const [port] = await once(thread, 'message');
  return {
    baseUrl: (wire: Wire) => `http://127.0.0.1:${port}/${wire}`,
    [Symbol.asyncDispose]: async () => void (await thread.terminate()),
  };
}

if (!isMainThread && parentPort) {
  const server = createServer(async (request, response) => {
    const asked: string[] = [request.url ?? ''];
    for await (const piece of request) asked.push(String(piece));
    const [, attack]: [string?, Attack?] =
      Object.entries({ ...attacks, markers }).find(([name]) => asked.join('').includes(modelOf(name))) ?? [];
    const wire = wires.find((each) => request.url?.startsWith(`/${each}/`));
    if (!attack || !wire) return response.writeHead(404).end();
    return await play(response, attack, wire);
  });
  // Longer than any test. Otherwise a connection that is reused during its close would be reset.
  server.keepAliveTimeout = 180_000;
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
}

async function play(response: ServerResponse, attack: Attack, wire: Wire): Promise<void> {
  const { socket } = response;
  if (!attack.isRaw)
    response.writeHead(attack.status ?? 200, attack.headers ?? { 'content-type': 'text/event-stream' });
  const to: Writable = attack.isRaw && socket ? socket : response;
  for (const piece of attack.pieces(wire)) {
    if (to.destroyed || !(await write(to, piece))) return;
  }
  to.end();
}

/** Writes a piece when there is room. Returns false if no reader accepts more. */
async function write(to: Writable, piece: string | Uint8Array): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onClose = () => resolve(false);
  to.once('close', onClose);
  to.write(piece, (error) => resolve(!error));
  const isTaken = await promise;
  to.off('close', onClose);
  return isTaken;
}
