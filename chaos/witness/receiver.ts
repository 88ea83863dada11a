import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

export type Signature = 'right' | 'untimely' | 'wrong';

/** How the receiver treats what comes; `down` resets the connection unread. */
export type ReceiverMode = 'well' | 'down' | 'failing' | 'slow' | 'gone';

/** One webhook that came, and how it was answered; null where it was not. */
export type WebhookSeen = {
  at: number;
  id: string;
  type: string;
  turnId: string;
  /** Whether the signature is right; `untimely`: right, but of a time that is not now. */
  signature: Signature;
  answered: number | null;
};

/** Somebody's receiver of webhooks, and all that came. */
export type Receiver = AsyncDisposable & { url: string; seen: WebhookSeen[]; setMode(mode: ReceiverMode): void };

const SLOW_MS = 2_500;
const REFUSED = 401;
const ANSWERS = { well: 204, failing: 500, slow: 204, gone: 410 };

/** Starts to listen; signatures are checked with the public library, over the bytes that came. */
export async function openReceiver(secret: string): Promise<Receiver> {
  const seen: WebhookSeen[] = [];
  const webhook = new Webhook(secret);
  let mode: ReceiverMode = 'well';
  const server = createServer(async (request, response) => {
    const now = mode;
    const body = await text(request).catch(() => '');
    const event = { at: Date.now(), ...readEvent(body), id: String(request.headers['webhook-id']) };
    const signature = judgeSignature(webhook, body, request.headers);
    const answered = now === 'down' ? null : signature === 'right' ? ANSWERS[now] : REFUSED;
    seen.push({ ...event, signature, answered });
    await answer(response, now, answered);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    seen,
    setMode: (next) => {
      mode = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(response: ServerResponse, mode: ReceiverMode, status: number | null): Promise<void> {
  if (status === null) return void response.socket?.resetAndDestroy();
  if (mode === 'slow') await sleep(SLOW_MS);
  response.writeHead(status).end();
}

function readEvent(body: string): { type: string; turnId: string } {
  try {
    const { type, data } = JSON.parse(body) as { type: string; data: { id: string } };
    return { type, turnId: data.id };
  } catch {
    return { type: '', turnId: '' };
  }
}

function judgeSignature(webhook: Webhook, body: string, headers: IncomingHttpHeaders): Signature {
  try {
    webhook.verify(body, headers as Record<string, string>);
    return 'right';
  } catch (error) {
    return /timestamp/i.test(String(error)) ? 'untimely' : 'wrong';
  }
}
