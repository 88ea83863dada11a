import type { Context } from 'hono';
import { RequestRefused } from '#core/failure.ts';
import { responseIdOf } from '#core/turn/responses/item-id.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { isTerminal, type Turn, type TurnError } from '#core/turn/turn.ts';
import type { ApiContext } from '../../../context.ts';
import { errorTypes } from '../../../http/errors.ts';
import type { ApiEnv } from '../../../http/router.ts';
import { responseNotFound } from '../find-response.ts';

/** Node's timers end here: no answer is held for longer than 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** A turn that a client waits for: the id that the client knows it by, its answer, and the refusal if it is gone. */
type Waited = {
  turn: Turn;
  id: string;
  present(turn: Turn): object | Promise<object>;
  /** Returns the error to answer. Default: the error of the turn. */
  errorOf?(turn: Turn): AnsweredError | null;
  notFound(): RequestRefused;
};

/** The parts of an error that its answer has. */
export type AnsweredError = Pick<TurnError, 'code' | 'message'>;

/** Answers a create request in the foreground once its response has ended (contract-responses R11, R51). */
export function answerWhenEnded(c: Context<ApiEnv>, context: ApiContext, { turn }: { turn: Turn }): Promise<Response> {
  const present = (ended: Turn) => presentResponse(context.stateSeals.sealRounds(ended));
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
  // The caller is gone, and reads no answer.
  if (signal.aborted) return c.body(null);
  if (!turn) throw notFound();
  if (!isTerminal(turn.status)) throw interrupted(c);
  const error = errorOf(turn);
  return error ? answerFailed(c, error) : c.json(await present(turn), 200);
}

/** This process stops. With a key, asking again finds the same response; without one it would begin a second. */
function interrupted(c: Context<ApiEnv>): RequestRefused {
  c.header('x-should-retry', String(c.req.header('idempotency-key') !== undefined));
  const message =
    'This server is stopping. The response continues. Retrieve it by the id in the header pawl-response-id.';
  return new RequestRefused(503, 'server_stopping', message);
}

/** Waits for the end of a turn, for some seconds at most. The request counts as a stream of its key. */
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

/** Answers with the error of a failed turn. Pawl has retried what may be retried: the same would fail again. */
export function answerFailed(c: Context<ApiEnv>, error: AnsweredError): Response {
  const status = statusOf(error.code);
  c.header('x-should-retry', 'false');
  if (status === 429) c.header('Retry-After', RETRY_AFTER_SECONDS);
  return c.json({ error: failureOf(error) }, status);
}

/** Returns the error of a failed turn as the envelope has it. */
export function failureOf({ code, message }: AnsweredError) {
  return { message, type: errorTypes[statusOf(code)], param: null, code };
}

/** The turn has waited for the provider's limit already, for as long as it may. */
const RETRY_AFTER_SECONDS = '60';

/** The status that makes OpenAI's clients raise the exception that fits why a turn failed (contract-responses R51). */
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
