import type { Context } from 'hono';
import { RequestRefused } from '#core/failure.ts';
import { responseIdOf } from '#core/turn/responses/item-id.ts';
import { isTerminal, type Turn, type TurnError } from '#core/turn/turn.ts';
import type { ApiContext } from '../../../context.ts';
import { errorTypes } from '../../../http/errors.ts';
import type { ApiEnv } from '../../../http/router.ts';
import { responseNotFound } from '../find-response.ts';
import { presentFilled } from '../present-filled.ts';

/** The maximum of Node's timers: Pawl holds no answer longer than 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** A turn that a client waits for: the id that the client knows, its answer, and the refusal if it was deleted. */
type Waited = {
  turn: Turn;
  id: string;
  present(turn: Turn): object | Promise<object>;
  /** Returns the error to answer. Default: the error of the turn. */
  errorOf?(turn: Turn): AnsweredError | null;
  notFound(): RequestRefused;
};

/** The parts of an error in an answer. */
export type AnsweredError = Pick<TurnError, 'code' | 'message'>;

/** Answers a create request in the foreground after its response has ended. */
export function answerWhenEnded(c: Context<ApiEnv>, context: ApiContext, { turn }: { turn: Turn }): Promise<Response> {
  const present = (ended: Turn) => presentFilled(context, ended);
  return answerAtEnd(c, context, { turn, id: responseIdOf(turn.id), present, notFound: responseNotFound });
}

/**
 * Waits for the end of a turn. Then answers with its presentation, or with an HTTP error if it failed. The header
 * `pawl-response-id` has the id in both cases.
 */
export async function answerAtEnd(
  c: Context<ApiEnv>,
  { streamHub }: Pick<ApiContext, 'streamHub'>,
  { turn: { id: turnId, project }, id, present, notFound, errorOf = ({ error }) => error }: Waited,
): Promise<Response> {
  const { signal } = c.req.raw;
  const timing = { timeoutMs: LONGEST_MS, untilSettled: true, project, signal };
  const turn = await streamHub.waitFor(turnId, ({ status }) => isTerminal(status), timing);
  c.header('pawl-response-id', id);
  // The caller has disconnected and reads no answer.
  if (signal.aborted) return c.body(null);
  if (!turn) throw notFound();
  if (!isTerminal(turn.status)) throw interrupted(c);
  const error = errorOf(turn);
  return error ? answerFailed(c, error) : c.json(await present(turn), 200);
}

/**
 * This process is stopping. With a key, a repeated request finds the same response. Without a key, it would start a
 * second response.
 */
function interrupted(c: Context<ApiEnv>): RequestRefused {
  c.header('x-should-retry', String(c.req.header('idempotency-key') !== undefined));
  const message =
    'This server is stopping. The response continues. Retrieve it by the id in the header pawl-response-id.';
  return new RequestRefused(503, 'server_stopping', message);
}

/** Waits for the end of a turn, up to some seconds. The request counts as a stream of its key. */
export async function waitForEnd(
  c: Context<ApiEnv>,
  { streamHub, streamLimiter }: Pick<ApiContext, 'streamHub' | 'streamLimiter'>,
  { id, status }: Turn,
  seconds: number,
): Promise<void> {
  if (seconds === 0 || isTerminal(status)) return;
  const project = c.get('project');
  const release = streamLimiter.acquire({ project, keyId: c.get('keyId') });
  const timing = { timeoutMs: seconds * 1000, untilSettled: true, project, signal: c.req.raw.signal };
  await streamHub.waitFor(id, (turn) => isTerminal(turn.status), timing).finally(release);
}

/** Answers with the error of a failed turn. Pawl has already used all retries, so the same request would fail again. */
export function answerFailed(c: Context<ApiEnv>, error: AnsweredError): Response {
  const status = statusOf(error.code);
  c.header('x-should-retry', 'false');
  if (status === 429) c.header('Retry-After', RETRY_AFTER_SECONDS);
  return c.json({ error: failureOf(error) }, status);
}

/** Returns the error of a failed turn in the form of the error envelope. */
export function failureOf({ code, message }: AnsweredError) {
  return { message, type: errorTypes[statusOf(code)], param: null, code };
}

/** The turn has already waited as long as allowed for the provider's limit. */
const RETRY_AFTER_SECONDS = '60';

/** Returns the status for which OpenAI's clients raise the matching exception. */
function statusOf(code: string): 400 | 429 | 500 | 503 {
  switch (code) {
    case 'provider_invalid_request':
    case 'provider_model_not_found':
    case 'model_unsupported_feature':
    case 'context_length_exceeded':
    case 'tool_choice_violated':
    case 'unknown_tool':
      return 400;
    case 'provider_rate_limited':
    case 'quota_exceeded':
      return 429;
    case 'provider_overloaded':
    case 'provider_unavailable':
    case 'provider_timeout':
    case 'mcp_server_unavailable':
      return 503;
    default:
      return 500;
  }
}
