import { ProviderFailed } from '../../failure.ts';
import type { BatchAnswer } from '../../turn/batches/batch-answer.ts';
import { type FailedCall, nameFailure } from '../errors/name-failure.ts';
import type { AnswerHeaders } from '../http/http-client.ts';
import type { OpenedReply, Refusal } from '../http/open-reply.ts';
import { Interrupted } from '../interrupted.ts';
import type { Exchange } from './batch-server.ts';

/** A round has rendered a request that no batch has answered yet. `body` is the request as its wire sends it. */
export class NotAnswered extends Interrupted {
  readonly body: object;

  constructor(body: object) {
    super('no batch has answered the request');
    this.body = body;
  }
}

/**
 * Returns an exchange that gives the answers to the requests of a round, in order. A request without a result throws
 * a `ProviderFailed`, which is one attempt. A request after the last answer throws `NotAnswered`.
 */
export function replayAnswers(answers: readonly BatchAnswer[], asked: { provider: string; model: string }): Exchange {
  let next = 0;
  const exchange = (body: object) => {
    const answer = answers[next];
    next += 1;
    return answer ? give(answer, asked) : Promise.reject(new NotAnswered(body));
  };
  return Object.assign(exchange, { hasAnswers: answers.length > 0 });
}

async function give(answer: BatchAnswer, asked: FailedCall): Promise<OpenedReply | Refusal> {
  if (answer.kind !== 'answered') throw failureOf(answer, asked);
  const { status, text } = answer;
  const isReply = status >= 200 && status <= 299;
  return isReply ? { kind: 'whole', headers: NONE, text } : { kind: 'refused', status, headers: NONE, text };
}

/** A line of a batch has no headers. */
const NONE: AnswerHeaders = { get: () => null };

function failureOf(answer: Exclude<BatchAnswer, { kind: 'answered' }>, asked: FailedCall): ProviderFailed {
  if (answer.kind === 'refused') {
    const { code, message, provider } = answer;
    return new ProviderFailed(code, message, { retry: { kind: 'never' }, provider });
  }
  const { code, reason } = FAILURES[answer.kind];
  return nameFailure(code, { ...asked, reason });
}

const FAILURES = {
  expired: { code: 'provider_timeout', reason: 'the batch expired' },
  cancelled: { code: 'provider_unavailable', reason: 'the batch was cancelled' },
  missing: { code: 'provider_unavailable', reason: 'the results of the batch have no answer' },
  'too-large': { code: 'provider_bad_response', reason: 'a request or an answer beyond the limits of a batch' },
} as const;
