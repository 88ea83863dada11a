import type { AnswerSlot } from '../../bounds/answer-slots.ts';
import { EgressFailed } from '../../egress/failure.ts';
import type { Egress } from '../../egress/open.ts';
import type { EgressResponse } from '../../egress/send.ts';
import type { TraceHeaders } from '../../trace-context.ts';
import type { ToolErrorCategory } from '../../turn/tool-result.ts';
import { type Attempt, failedAttempt } from '../run/attempt.ts';
import { FULL_OUTPUT_LIMIT } from '../run/render-output.ts';
import { failureOfStatus } from './status.ts';

/** Bytes to read. They leave room for the note, so that a cut answer is not cut again. */
const READ_LIMIT = FULL_OUTPUT_LIMIT - 1024;

/** One attempt of an HTTP tool. `headers` are the tool's own. `signHeaders` proves that Pawl sent the call. */
export type HttpRequest = {
  url: string;
  headers: Record<string, string>;
  args: Record<string, unknown>;
  idempotencyKey: string;
  turnId: string;
  trace?: TraceHeaders | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  signHeaders: ((body: string) => Record<string, string>) | undefined;
  slot?: AnswerSlot | undefined;
};

/** Posts the arguments to the tool's URL, once. Rejects with the reason of `signal` if `signal` aborts. */
export async function executeHttp(egress: Egress, request: HttpRequest): Promise<Attempt> {
  request.signal.throwIfAborted();
  const { url, timeoutMs, signal, slot } = request;
  const body = JSON.stringify(request.args);
  const headers = headersOf(request, body);
  try {
    const answer = await egress.send({ url, headers, body, timeoutMs, maxBytes: READ_LIMIT, signal, slot });
    return readResponse(answer);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressFailed) return noResponse(error);
    throw error;
  }
}

/** Returns the headers with lower-case names, so that no header of the tool can replace Pawl's headers. */
function headersOf(request: HttpRequest, body: string): Record<string, string> {
  const own = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const signed = Object.entries(request.signHeaders?.(body) ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
    ...Object.fromEntries(own),
    ...Object.fromEntries(signed),
    'content-type': 'application/json',
    'idempotency-key': request.idempotencyKey,
    'pawl-turn-id': request.turnId,
    ...request.trace,
  };
}

function readResponse({ status, headers, body, truncated, retryAfterMs: afterMs = 0 }: EgressResponse): Attempt {
  const failure = failureOfStatus(status);
  const encoding = COMPRESSED.exec(headers['content-encoding'] ?? '')?.[0];
  if (!failure && encoding && body) return unreadable(encoding);
  if (!failure)
    return { kind: 'answered', output: truncated ? `${body}\n[… the rest was not read …]` : body, cut: truncated };

  const wait = afterMs > 0 ? { retry_after_seconds: Math.ceil(afterMs / 1000) } : {};
  const message = messageOf(status, encoding ? '' : body);
  return failedAttempt({ ...failure, message, details: { status, ...wait }, afterMs });
}

/** Encodings of servers that compress in spite of `accept-encoding`. Other servers send a charset as the encoding. */
const COMPRESSED = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

function unreadable(encoding: string): Attempt {
  const message = `The tool's answer came as ${encoding}, which was not asked for, and cannot be read.`;
  return failedAttempt({ category: 'unknown', message, certainty: 'answered' });
}

function messageOf(status: number, body: string): string {
  if (status >= 300 && status < 400) return `The tool answered with a redirect (${status}), which is not followed.`;
  const text = body.trim();
  return text ? `The tool answered ${status}: ${text}` : `The tool answered ${status}.`;
}

const CATEGORIES: Record<EgressFailed['kind'], ToolErrorCategory> = {
  blocked: 'permission_denied',
  'not-connected': 'network_error',
  timeout: 'execution_timeout',
  cut: 'network_error',
  aborted: 'cancelled',
};

function noResponse({ kind, message, sent, retryAfterMs: afterMs = 0 }: EgressFailed): Attempt {
  return failedAttempt({ category: CATEGORIES[kind], message, afterMs, certainty: sent ? 'lost' : 'never-reached' });
}
