import type { Gate, OutboundAnswer } from '../outbound/open-gate.ts';
import { OutboundFailed } from '../outbound/outbound-failed.ts';
import type { ToolErrorCategory } from '../turn/tool-result.ts';
import type { Attempt } from './attempt.ts';
import { failureOfStatus } from './failure-of-status.ts';
import { FULL_OUTPUT_LIMIT } from './render-output.ts';
import { retryAfterMs } from './retry-after.ts';

/** Bytes; leaves room for the note, so that a cut answer is not cut again. */
const READ_LIMIT = FULL_OUTPUT_LIMIT - 1024;

/** One try of an HTTP tool. `headers` are the tool's own; `signHeaders` proves to the receiver that the call is ours. */
export type HttpRequest = {
  url: string;
  headers: Record<string, string>;
  args: Record<string, unknown>;
  idempotencyKey: string;
  turnId: string;
  timeoutMs: number;
  signal: AbortSignal;
  signHeaders: ((body: string) => Record<string, string>) | undefined;
};

/** Posts the arguments to the tool's URL, once. Rejects with the reason of `signal` when that aborts. */
export async function executeHttp(gate: Gate, request: HttpRequest): Promise<Attempt> {
  request.signal.throwIfAborted();
  const { url, timeoutMs, signal } = request;
  const body = JSON.stringify(request.args);
  const headers = headersOf(request, body);
  try {
    const answer = await gate.send({ url, headers, body, timeoutMs, maxBytes: READ_LIMIT, signal });
    return readAnswer(answer);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutboundFailed) return withoutAnswer(error);
    throw error;
  }
}

/** Names are compared in lower case, so that none of the tool's own headers can stand in for one of ours. */
function headersOf(request: HttpRequest, body: string): Record<string, string> {
  const theirs = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const signed = Object.entries(request.signHeaders?.(body) ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
    ...Object.fromEntries(theirs),
    ...Object.fromEntries(signed),
    'content-type': 'application/json',
    'idempotency-key': request.idempotencyKey,
    'pawl-turn-id': request.turnId,
  };
}

function readAnswer({ status, headers, body, truncated }: OutboundAnswer): Attempt {
  const failure = failureOfStatus(status);
  const encoding = COMPRESSED.exec(headers['content-encoding'] ?? '')?.[0];
  if (!failure && encoding && body) return inEncoding(encoding);
  if (!failure)
    return { kind: 'answered', output: truncated ? `${body}\n[… the rest was not read …]` : body, cut: truncated };

  const afterMs = retryAfterMs(headers['retry-after'], Date.now());
  const wait = afterMs > 0 ? { retry_after_seconds: Math.ceil(afterMs / 1000) } : {};
  const message = sentenceOf(status, encoding ? '' : body);
  const error = { category: failure.category, message, details: { status, ...wait } };
  return { kind: 'failed', error, afterMs, certainty: failure.certainty };
}

/** Some servers compress whatever is asked for, and some write a charset where the encoding belongs. */
const COMPRESSED = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

function inEncoding(encoding: string): Attempt {
  const message = `The tool's answer came as ${encoding}, which was not asked for, and cannot be read.`;
  const error = { category: 'unknown' as const, message, details: {} };
  return { kind: 'failed', error, afterMs: 0, certainty: 'answered' };
}

function sentenceOf(status: number, body: string): string {
  if (status >= 300 && status < 400) return `The tool answered with a redirect (${status}), which is not followed.`;
  const said = body.trim();
  return said ? `The tool answered ${status}: ${said}` : `The tool answered ${status}.`;
}

const CATEGORIES: Record<OutboundFailed['kind'], ToolErrorCategory> = {
  blocked: 'permission_denied',
  'not-connected': 'network_error',
  timeout: 'execution_timeout',
  cut: 'network_error',
  aborted: 'cancelled',
};

function withoutAnswer({ kind, message, sent }: OutboundFailed): Attempt {
  return {
    kind: 'failed',
    error: { category: CATEGORIES[kind], message, details: {} },
    afterMs: 0,
    certainty: sent ? 'lost' : 'never-reached',
  };
}
