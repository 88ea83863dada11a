import { codeOfStatus } from '../code-of-status.ts';
import type { ProviderCode } from '../name-failure.ts';
import type { ErrorBody } from './error-body.ts';

/** What a refusal means. The words a server adds decide before its status: many say 400 to everything. */
export function codeOfRefusal(body: ErrorBody): ProviderCode {
  const told = TELLTALES.find((telltale) => fits(telltale, body));
  if (told) return told.means;
  return body.status === null ? codeOfWords(body) : codeOfStatus(body.status);
}

function fits({ at, code, text }: Telltale, body: ErrorBody): boolean {
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

type Telltale = { means: ProviderCode; at: (status: number | null) => boolean; code?: RegExp; text?: RegExp };

const anywhere = () => true;
/** Of the statuses that blame the request, those that time does not mend and money does not either. */
const aboutRequest = (status: number | null) =>
  status === null || (status >= 400 && status < 500 && ![402, 408, 409, 425, 429, 498].includes(status));
const aboutServer = (status: number | null) => status === null || status >= 500;

const TELLTALES: Telltale[] = [
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
