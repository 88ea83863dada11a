import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { createServer, listen } from './create-server.ts';

/** The check of a signature. `untimely`: right, but with a wrong time. */
export type Signature = 'right' | 'untimely' | 'wrong';

/** The receiver's treatment of webhooks. `down` resets the connection before it reads. */
export type ReceiverMode = 'well' | 'down' | 'failing' | 'slow' | 'gone';

/** One received webhook, and the status of its answer, or null without an answer. */
export type ReceivedWebhook = {
  at: number;
  id: string;
  type: string;
  turnId: string;
  signature: Signature;
  answered: number | null;
};

/** A receiver of webhooks, not Pawl's, and all webhooks that it received. */
export type WebhookReceiver = AsyncDisposable & {
  url: string;
  port: number;
  received: ReceivedWebhook[];
  /** Resolves with the first accepted webhook. */
  accepted: Promise<ReceivedWebhook>;
  /** Sets the secrets that may sign webhooks from now on. */
  trust(secrets: string[]): void;
  setMode(mode: ReceiverMode): void;
};

const SLOW_MS = 2_500;
const ACCEPTED = 204;
const REFUSED = 401;
const STATUSES = { well: ACCEPTED, failing: 500, slow: ACCEPTED, gone: 410 };

/** Starts to listen. The public library checks signatures over the received bytes. */
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

/** Returns the best result that a secret gives for the signature. */
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
