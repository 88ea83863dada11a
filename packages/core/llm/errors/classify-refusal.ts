import type { ProviderFailed } from '../../failure.ts';
import { retryAfterMs } from '../../retry-after.ts';
import type { AnswerHeaders } from '../http/http-client.ts';
import type { Refusal } from '../http/open-reply.ts';
import { codeOfError } from './code-of-error.ts';
import { type Asked, nameFailure } from './name-failure.ts';
import { readError, readRefusal, type SaidError } from './read-error.ts';

export function classifyRefusal(refusal: Refusal, asked: Asked): ProviderFailed {
  const { headers } = refusal;
  return failureOf(readRefusal(refusal), headers, { ...asked, afterMs: retryAfterMs(headers) });
}

/** Returns the failure of an error inside a 200. A wait in the headers of a 200 does not count. */
export function classifyErrorObject(error: unknown, headers: AnswerHeaders, asked: Asked): ProviderFailed {
  return failureOf(readError(error), headers, asked);
}

function failureOf(said: SaidError, headers: AnswerHeaders, asked: Asked & { afterMs?: number | undefined }) {
  return nameFailure(codeOfError(said), {
    ...asked,
    status: said.status,
    code: said.codes[0] ?? null,
    requestId: headers.get('request-id') ?? headers.get('x-request-id') ?? said.requestId,
    says: said.message,
    param: said.param,
  });
}
