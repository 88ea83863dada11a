import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { createServer, listen } from './create-server.ts';

/** Whether a signature is right; `untimely`: right, but of a time that is not now. */
export type Signature = 'right' | 'untimely' | 'wrong';

/** How the receiver treats what comes; `down` resets the connection unread. */
export type ReceiverMode = 'well' | 'down' | 'failing' | 'slow' | 'gone';

/** One webhook that came, and the status it was answered with; null where it was not answered. */
export type ReceivedWebhook = {
  at: number;
  id: string;
  type: string;
  turnId: string;
  signature: Signature;
  answered: number | null;
};

/** A receiver of webhooks, not Pawl's, and all that came. */
export type WebhookReceiver = AsyncDisposable & {
  url: string;
  port: number;
  received: ReceivedWebhook[];
  /** Resolves with the first webhook that was accepted. */
  accepted: Promise<ReceivedWebhook>;
  /** The secrets that a signature may be made with, from now on. */
  trust(secrets: string[]): void;
  setMode(mode: ReceiverMode): void;
};

const SLOW_MS = 2_500;
const ACCEPTED = 204;
const REFUSED = 401;
const STATUSES = { well: ACCEPTED, failing: 500, slow: ACCEPTED, gone: 410 };

/** Starts to listen; signatures are checked with the public library, over the bytes that came. */
export async function openWebhookReceiver(secrets: string[] = []): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const accepted = Promise.withResolvers<ReceivedWebhook>();
  let trusted = secrets;
  let mode: ReceiverMode = 'well';
  const server = createServer(async (request, response) => {
    const now = mode;
    const body = await text(request).catch(() => '');
    const signature = classifySignature(trusted, body, request.headers);
    const answered = now === 'down' ? null : signature === 'right' ? STATUSES[now] : REFUSED;
    const webhook = { at: Date.now(), ...readEvent(body), id: String(request.headers['webhook-id']), signature };
    received.push({ ...webhook, answered });
    if (answered === ACCEPTED) accepted.resolve({ ...webhook, answered });
    await answer(response, now, answered);
  });
  const { origin, port, [Symbol.asyncDispose]: close } = await listen(server);
  return {
    ...{ url: `${origin}/webhook`, port, received, accepted: accepted.promise },
    trust: (next) => {
      trusted = next;
    },
    setMode: (next) => {
      mode = next;
    },
    [Symbol.asyncDispose]: close,
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

/** The best that any of the secrets makes of it. */
function classifySignature(secrets: string[], body: string, headers: IncomingHttpHeaders): Signature {
  const found = secrets.map((secret) => verify(secret, body, headers));
  return (['right', 'untimely'] as const).find((signature) => found.includes(signature)) ?? 'wrong';
}

function verify(secret: string, body: string, headers: IncomingHttpHeaders): Signature {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return 'right';
  } catch (error) {
    return /timestamp/i.test(String(error)) ? 'untimely' : 'wrong';
  }
}
