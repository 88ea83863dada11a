import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { Failure } from '#core/failure.ts';
import type { Stage } from './run-to-the-end.ts';

/** One webhook whose signature was right. */
export type Delivered = { id: string; type: string };

/** A receiver of webhooks on this machine; it refuses what was not signed with a secret that it trusts. */
export type Receiver = {
  url: string;
  port: number;
  trust(secrets: string[]): void;
  delivered: Delivered[];
  first(): Promise<Delivered>;
};

const Event = z.object({ type: z.string() });
const PATIENCE_MS = 15_000;

/** Starts to listen; ends with the show. */
export async function startReceiver(stage: Stage): Promise<Receiver> {
  const delivered: Delivered[] = [];
  const first = Promise.withResolvers<Delivered>();
  let trusted: string[] = [];
  const server = createServer(async (request, response) => {
    const verified = await verify(request, trusted);
    response.writeHead(verified ? 204 : 401).end();
    if (!verified) return;
    delivered.push(verified);
    first.resolve(verified);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atTheEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const trust = (secrets: string[]) => {
    trusted = secrets;
  };
  return { url: `http://127.0.0.1:${port}/webhook`, port, trust, delivered, first: () => inTime(first.promise) };
}

/** As any receiver does it: with the public library of Standard Webhooks, over the exact bytes that came. */
async function verify(request: IncomingMessage, secrets: string[]): Promise<Delivered | undefined> {
  const body = await text(request);
  const header = (name: string) => String(request.headers[name]);
  const signed = {
    'webhook-id': header('webhook-id'),
    'webhook-timestamp': header('webhook-timestamp'),
    'webhook-signature': header('webhook-signature'),
  };
  if (!secrets.some((secret) => isSigned(body, signed, secret))) return undefined;
  return { id: signed['webhook-id'], ...Event.parse(JSON.parse(body)) };
}

function isSigned(body: string, headers: Record<string, string>, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

async function inTime(first: Promise<Delivered>): Promise<Delivered> {
  const late = Promise.withResolvers<never>();
  const sentence = `No webhook with a good signature has come within ${PATIENCE_MS / 1000} s.`;
  const timer = setTimeout(() => late.reject(new Failure('webhook_missing', sentence)), PATIENCE_MS);
  return Promise.race([first, late.promise]).finally(() => clearTimeout(timer));
}
