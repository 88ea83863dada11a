import { z } from 'zod';
import type { Refusal } from './reply.ts';

const KNOWN: Record<number, { type: string; code: string; message: string }> = {
  400: { type: 'invalid_request_error', code: 'invalid_request', message: 'The request is invalid.' },
  401: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key provided.' },
  402: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'You exceeded your current quota.' },
  403: { type: 'invalid_request_error', code: 'permission_denied', message: 'You may not use this model.' },
  404: { type: 'invalid_request_error', code: 'model_not_found', message: 'The model does not exist.' },
  429: { type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached.' },
  503: { type: 'server_error', code: 'overloaded', message: 'The engine is currently overloaded.' },
};

type ErrorBody = { error: { message: string; type: string; param: string | null; code: string | null } };

/** Returns the error that OpenAI would send with this status. */
export function errorBody(status: number): ErrorBody {
  const known = KNOWN[status] ?? (status < 500 ? KNOWN[400] : undefined);
  const { message, type, code } = known ?? { message: 'The server had an error.', type: 'server_error', code: null };
  return { error: { message: `Simulated fault: ${message}`, type, param: null, code } };
}

/** Returns the error for a request that the simulator itself cannot play. */
export function refusalBody(code: string | null, message: string, param: string | null = null): ErrorBody {
  return { error: { message, type: 'invalid_request_error', param, code } };
}

/** Why a request is refused. The default status is 400. */
export type Problem = { code: string | null; message: string; param: string | null; status?: number };

export function refuse({ code, message, param, status = 400 }: Problem): Refusal {
  return { kind: 'error', status, headers: {}, body: refusalBody(code, message, param), thinkMs: 0 };
}

const OpenaiError = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

/** Returns the message of an error in OpenAI's form, or null for a body that a script has written for another wire. */
export function openaiMessage(body: unknown): string | null {
  return OpenaiError.safeParse(body).data?.error.message ?? null;
}

type Issue = z.core.$ZodIssue;

/** Returns the issue inside the closest alternative of a union: the alternative with the type of the value. */
export function innermostIssue(issue: Issue | undefined): Issue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const [inner] = issue.errors.find(([first]) => first && first.path.length > 0) ?? issue.errors[0] ?? [];
  return inner ? innermostIssue({ ...inner, path: [...issue.path, ...inner.path] }) : issue;
}
