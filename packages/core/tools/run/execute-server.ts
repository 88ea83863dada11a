import type { ToolErrorCategory } from '../../turn/tool-result.ts';
import { type ServerTool, type ToolContext, ToolFailed } from '../define/tool.ts';
import { type Attempt, failedAttempt } from './attempt.ts';

/** One attempt of a server-side tool: its arguments and context. `signal` aborts when the answer is not needed. */
export type ServerRequest = ToolContext & { args: Record<string, unknown>; timeoutMs: number };

const NETWORK_CODES =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_\w+)$/;

/** Runs a server-side tool once, for at most `timeoutMs`. Rejects with the reason of `signal` if `signal` aborts. */
export async function executeServer(tool: ServerTool, request: ServerRequest): Promise<Attempt> {
  request.signal.throwIfAborted();
  // One controller serves all reasons to end, since `AbortSignal.any` costs several times as much.
  const ending = new AbortController();
  const { signal } = ending;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    ending.abort(reason);
    reject(reason);
  };
  const onAbort = () => end(request.signal.reason);
  request.signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => end(TIMED_OUT), request.timeoutMs);
  try {
    const output = await Promise.race([start(tool, request, signal), ended]);
    return { kind: 'answered', output, cut: false };
  } catch (error) {
    request.signal.throwIfAborted();
    return signal.aborted ? timedOut(request.timeoutMs) : failed(error);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
    ending.abort(ENDED);
  }
}

const TIMED_OUT = new Error('The tool took too long.');

/** A shared error, since an error for each call would cost more than the call. */
const ENDED = new DOMException('The call is over.', 'AbortError');

/** Starts the tool. As an async function, it turns a synchronous throw into a rejection. */
async function start(tool: ServerTool, request: ServerRequest, signal: AbortSignal): Promise<unknown> {
  const { args, idempotencyKey, turnId } = request;
  return tool.run(args, {
    signal,
    idempotencyKey,
    turnId,
    progress: (value) => reportProgress(request, signal, value),
  });
}

/** Ignores progress after the end of the attempt, and values that are not JSON. */
function reportProgress(request: ServerRequest, signal: AbortSignal, value: unknown): void {
  if (signal.aborted) return;
  try {
    request.progress(value);
  } catch {
    // A preview that cannot be shown must not end the tool's work.
  }
}

function timedOut(timeoutMs: number): Attempt {
  const message = `The tool did not answer within ${timeoutMs} ms.`;
  return failedAttempt({ category: 'execution_timeout', message, certainty: 'lost' });
}

/** Returns the failed attempt. A `ToolFailed` is the tool's answer. Any other error is a breakdown. */
function failed(thrown: unknown): Attempt {
  const problem = { category: categoryOf(thrown), message: messageOf(thrown) };
  if (!(thrown instanceof ToolFailed)) return failedAttempt({ ...problem, certainty: 'broke' });
  return failedAttempt({ ...problem, details: thrown.details, certainty: 'answered' });
}

function categoryOf(thrown: unknown): ToolErrorCategory {
  if (thrown instanceof ToolFailed) return thrown.category;
  return [thrown, causeOf(thrown)].some(isNetworkError) ? 'network_error' : 'unknown';
}

function isNetworkError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NETWORK_CODES.test(String(error.code));
}

/** Returns the message of an error with its cause, since `fetch` throws "fetch failed" with the reason in the cause. */
function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = causeOf(thrown);
  return cause instanceof Error && cause.message
    ? `${thrown.message}: ${cause.message}`
    : thrown.message || thrown.name;
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined;
}
