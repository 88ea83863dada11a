import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Act } from './act.ts';
import { ChatRequest } from './chat-request.ts';
import { refusalBody } from './error-body.ts';
import { openWire } from './open-wire.ts';
import { perform } from './perform.ts';
import { renderAct } from './render-act.ts';
import { replyTo } from './reply-to.ts';

/** What the model was asked. `aborted` resolves when the client hung up before the answer was over; never otherwise. */
export type AskedRequest = { body: ChatRequest; headers: IncomingHttpHeaders; aborted: Promise<void> };
/** The witness: called once for each chat completion that could be read, before it is answered. */
export type OnRequest = (asked: AskedRequest) => void;

/** Answers one chat completion: reads, shows it to the witness, decides, sends. Rejects only if the witness throws. */
export async function answerChat(request: IncomingMessage, response: ServerResponse, onRequest?: OnRequest) {
  const wire = openWire(response);
  const raw = await text(request).catch(() => null);
  if (raw === null) return;

  const parsed = ChatRequest.safeParse(parseJson(raw));
  if (parsed.success) onRequest?.({ body: parsed.data, headers: request.headers, aborted: wire.aborted });
  const tryNumber = tryNumberOf(request.headers['x-client-request-id']);
  const act = parsed.success
    ? replyTo({ body: parsed.data, bodyLength: raw.length, tryNumber })
    : unreadable(parsed.error);
  const { model, stream, stream_options } = parsed.data ?? { model: '' };
  const frame = {
    requestId: `req_${randomUUID()}`,
    completionId: `chatcmpl-${randomUUID()}`,
    createdAt: Math.floor(Date.now() / 1000),
    model,
    stream: stream === true,
    includeUsage: stream_options?.include_usage === true,
  };
  await perform(renderAct(act, frame), wire);
}

/**
 * Pawl names a try `<turn>.<round>.<ring>`, rings numbered from 0, with a letter for the further requests of a try;
 * who sends no such name is always at the first.
 */
function tryNumberOf(name: string | string[] | undefined): number {
  return Number(/\.(\d+)[a-z]?$/.exec(String(name))?.[1] ?? 0);
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

function unreadable(error: z.ZodError): Act {
  const message = `The request is no chat completion request. ${z.prettifyError(error)}`;
  return { kind: 'error', status: 400, headers: {}, body: refusalBody('invalid_request', message), thinkMs: 0 };
}
