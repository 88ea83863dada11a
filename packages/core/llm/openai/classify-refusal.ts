import { z } from 'zod';
import type { ProviderFailed } from '../../failure.ts';
import { parseJson } from '../../json.ts';
import { retryAfterMs } from '../../retry-after.ts';
import { codeOfStatus } from '../errors/code-of-status.ts';
import { type Asked, nameFailure, type ProviderCode, plainWords } from '../errors/name-failure.ts';
import type { AnswerHeaders } from '../http/http-client.ts';
import type { Refusal } from '../http/open-reply.ts';

/** A refused request, as the failure it is. */
export function classifyRefusal({ status: httpStatus, headers, text }: Refusal, asked: Asked): ProviderFailed {
  const error = errorIn(text);
  const body = readErrorBody(error);
  return nameFailure(codeOfRefusal({ ...body, status: httpStatus }), {
    ...asked,
    ...named(body, headers),
    status: httpStatus,
    says: body.message ?? (error ? JSON.stringify(error) : plainWords(text)),
    afterMs: retryAfterMs(headers),
  });
}

/** An error object inside the stream, as the failure it is. Its headers came with a 200: no wait in them counts. */
export function classifyErrorObject(error: unknown, headers: AnswerHeaders, asked: Asked): ProviderFailed {
  const body = readErrorBody(error);
  return nameFailure(codeOfRefusal(body), {
    ...asked,
    ...named(body, headers),
    status: body.status,
    says: body.message,
  });
}

function named({ code, type }: ErrorBody, headers: AnswerHeaders) {
  return { code: code ?? type, requestId: headers.get('x-request-id') };
}

/** The error object in a body of any shape. xAI says `{code, error: text}`: there the body is the error. */
function errorIn(text: string): unknown {
  const json = parseJson(text);
  const body = Array.isArray(json) ? json[0] : json;
  if (typeof body !== 'object' || body === null) return undefined;
  return 'error' in body && typeof body.error === 'object' ? body.error : body;
}

const text = z.string().nullish().catch(null);

const Shape = z.object({
  message: z.unknown().optional(),
  detail: z.unknown().optional(),
  error: z.unknown().optional(),
  metadata: z.object({ raw: text }).nullish().catch(null),
  type: text,
  code: z.union([z.string(), z.number()]).nullish().catch(null),
  status: z.union([z.string(), z.number()]).nullish().catch(null),
  status_code: z.number().nullish().catch(null),
});

/** What can be read from an error object, whichever server made it. */
type ErrorBody = { status: number | null; code: string | null; type: string | null; message: string | null };

/** Reads an error object in any of the shapes met so far; nothing in it is required. */
function readErrorBody(body: unknown): ErrorBody {
  if (typeof body === 'string') return { status: null, code: null, type: null, message: body };
  const { data } = Shape.safeParse(body);
  if (!data) return { status: null, code: null, type: null, message: null };
  const { code } = data;
  return {
    status: data.status_code ?? statusIn(data.status) ?? statusIn(code),
    code: typeof code === 'string' && statusIn(code) === null ? code : null,
    type: data.type ?? null,
    message: messageOf(data),
  };
}

function messageOf({ message, detail, error, metadata }: z.infer<typeof Shape>): string | null {
  const said = message ?? detail ?? error;
  if (said === undefined || said === null) return null;
  const plain = typeof said === 'string' ? said : JSON.stringify(said);
  // OpenRouter's own message is the same for every failure; what happened upstream stands beside it.
  return metadata?.raw ? `${plain}: ${metadata.raw}` : plain;
}

/** Some servers put the HTTP status where the code belongs, as a number or as text. */
function statusIn(value: string | number | null | undefined): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isInteger(number) && number >= 400 && number <= 599 ? number : null;
}

/** What a refusal means. The words a server adds decide before its status: many say 400 to everything. */
function codeOfRefusal(body: ErrorBody): ProviderCode {
  const known = SIGNS.find((sign) => fits(sign, body));
  if (known) return known.means;
  return body.status === null ? codeOfWords(body) : codeOfStatus(body.status);
}

function fits({ at, code, text }: Sign, body: ErrorBody): boolean {
  if (!at(body.status)) return false;
  return Boolean(code?.test(`${body.code ?? ''} ${body.type ?? ''}`) || text?.test(body.message ?? ''));
}

/** An error inside a stream often has no status; one that does not blame the request may pass. */
function codeOfWords({ code, type }: ErrorBody): ProviderCode {
  const words = `${code ?? ''} ${type ?? ''}`;
  if (/rate_?limit/i.test(words)) return 'provider_rate_limited';
  if (/permission/i.test(words)) return 'provider_permission_denied';
  if (/timeout/i.test(words)) return 'provider_timeout';
  return /invalid_request|bad_?request/i.test(words) ? 'provider_invalid_request' : 'provider_unavailable';
}

type Sign = { means: ProviderCode; at: (status: number | null) => boolean; code?: RegExp; text?: RegExp };

const anywhere = () => true;
/** Of the statuses that blame the request, those that time does not mend and money does not either. */
const aboutRequest = (status: number | null) =>
  status === null || (status >= 400 && status < 500 && ![402, 408, 409, 425, 429, 498].includes(status));
const aboutServer = (status: number | null) => status === null || status >= 500;

const SIGNS: Sign[] = [
  {
    means: 'quota_exceeded',
    at: anywhere,
    code: /insufficient_(quota|credits?|balance)|billing_hard_limit|billing_not_active/i,
    text: /insufficient (balance|credits?|funds)|spending limit|used all available credits/i,
  },
  // The model wrote a call that does not fit its tool: another try may fit.
  { means: 'provider_bad_response', at: anywhere, code: /tool_use_failed/ },
  {
    means: 'context_length_exceeded',
    at: aboutRequest,
    code: /context_length_exceeded|exceed_context_size|context_window_exceeded/i,
    text: /(maximum|max|available) (context|prompt) (length|size)|context (length|window|size) (is )?exceed/i,
  },
  {
    means: 'context_length_exceeded',
    at: aboutRequest,
    text: /exceeds? the context|prompt (is )?too long|input token count .* exceeds/i,
  },
  {
    means: 'provider_authentication_failed',
    at: aboutRequest,
    code: /invalid_api_key|authentication_error/i,
    text: /(incorrect|invalid) api key/i,
  },
  {
    means: 'provider_model_not_found',
    at: aboutRequest,
    code: /model_not_found|DeploymentNotFound|invalid_model/i,
    text: /not a valid model|model .{0,120}(does not exist|not found)/i,
  },
  { means: 'provider_overloaded', at: aboutServer, code: /overloaded/i, text: /overloaded|over capacity|at capacity/i },
];
