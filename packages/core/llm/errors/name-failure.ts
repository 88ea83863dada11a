import { ProviderFailed, type Retry } from '../../failure.ts';
import { cleanText } from '../../text.ts';
import { unsupportedIn } from './unsupported-feature.ts';

/** The codes of a model call without a reply. */
export type ProviderCode = keyof typeof MEANINGS;

/** The known facts about a failed call. `says` is the provider's message, in which keys are redacted here. */
export type FailedCall = {
  provider: string;
  model?: string;
  apiKey?: string | null;
  /** Further secret texts: values of the operator's headers. */
  secrets?: readonly string[];
  /** The setting with the key: `OPENAI_API_KEY`. */
  keyName?: string;
  status?: number | null;
  code?: string | null;
  requestId?: string | null;
  /** The setting with the address of the server: `OPENAI_BASE_URL`. */
  urlName?: string;
  /** The reason of a failure without a status: `ECONNREFUSED`. */
  reason?: string | null;
  /** Whether the server has lost a response that it should keep. */
  isLost?: boolean;
  /** Whether the address may belong to another server than the operator intended. */
  isElsewhere?: boolean;
  /** The setting to use if the server has no Responses API: `OPENAI_WIRE=chat`. */
  chatSetting?: string;
  /** The maximum number of attempts, if smaller than usual. */
  most?: number;
  says?: string | null;
  /** The field of the request that the provider names. */
  param?: string | null;
  afterMs?: number | undefined;
};

/** The request of a failure, with the key and other secret texts. */
export type Asked = Pick<FailedCall, 'provider' | 'model' | 'apiKey' | 'secrets' | 'keyName' | 'urlName'>;

/** Returns the failure of a code, with its retry rule and a sentence that advises the reader. */
export function nameFailure(code: ProviderCode, call: FailedCall): ProviderFailed {
  const { retry, sentence } = MEANINGS[code];
  const said = call.says ? ` ${call.provider} says: "${quoteProvider(call.says, call)}"` : '';
  return new ProviderFailed(code, `${sentence(call)}${said}`, {
    retry: retryOf(retry, call),
    provider: {
      status: call.status ?? null,
      code: call.code ? quoteProvider(call.code, call).slice(0, 100) : null,
      request_id: call.requestId ? quoteProvider(call.requestId, call).slice(0, 200) : null,
    },
  });
}

/** Returns the failure of a stream that ended before its reply. */
export function cutStream(provider: string): ProviderFailed {
  return nameFailure('provider_unavailable', { provider, reason: 'the stream was cut' });
}

export function unusable(provider: string, reason: string): ProviderFailed {
  return nameFailure('provider_bad_response', { provider, reason });
}

/** Returns a provider's message for display and storage: one line, at most 500 characters, without keys. */
export function quoteProvider(
  text: string,
  { apiKey, secrets = [] }: Pick<FailedCall, 'apiKey' | 'secrets'> = {},
): string {
  const hidden = apiKey && apiKey.length >= 4 ? [...secrets, apiKey] : secrets;
  const known = hidden.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  const clean = SECRETS.reduce((rest, secret) => rest.replace(secret, '[redacted]'), known);
  const line = cleanText(clean.replace(/\s+/g, ' ').trim());
  return line.length > LONGEST ? `${cleanText(line.slice(0, LONGEST - 1))}…` : line;
}

const LONGEST = 500;

/** The usual forms of keys, and a word of 16 characters with a digit after a word such as `token`. */
const SECRETS = [
  /\b(?:Bearer|Basic)\s+[^\s"',]+/gi,
  /\b(?:sk|xai|gsk|csk|pplx|hf|nvapi|r8|fw|tgp|gh[a-z]|key)[-_][^\s"',.)]+/g,
  /\b(?:AIza|AKIA|ASIA|dapi|ya29\.|AQ\.)[\w.-]{10,}/g,
  /\beyJ[\w-]{10,}(?:\.[\w-]+)*/g,
  /(?<=[?&](?:key|api[-_]?key|token|access_token)=)[^&\s"']+/gi,
  /(?<=\b(?:key|token|secret|password|authorization)\b[^\w\n]{0,5}(?:(?:provided|hash|token|is|was)\b[^\w\n]{0,5}){0,2})(?=[\w.+/=*-]*\d)[\w.+/=*-]{16,}/gi,
];

/** Returns the text of a body without JSON, or null for an HTML page of a gateway, which does not help a caller. */
export function plainWords(text: string): string | null {
  return !text.trim() || text.trimStart().startsWith('<') ? null : text;
}

function retryOf(kind: Retry['kind'], call: FailedCall): Retry {
  const { afterMs, most } = call;
  const after = afterMs === undefined ? {} : { afterMs };
  if (kind === 'never') return { kind };
  if (kind === 'rate-limited') return { kind, ...after, ...(lacksCapacity(call) ? { lacksCapacity: true } : {}) };
  return kind === 'later' && most !== undefined ? { kind, ...after, most } : { kind, ...after };
}

/** Returns the status or the reason in brackets, if known. */
function because({ status, reason }: FailedCall): string {
  const cause = status ?? reason;
  return cause ? ` (${cause})` : '';
}

/** Statuses of servers that are not providers, or that have no endpoint at the path. */
const ELSEWHERE = [301, 302, 303, 405];

/** Returns advice to check the URL if the address may be wrong. */
function checkUrl({ status, isElsewhere, urlName }: FailedCall): string {
  const mayBeWrong = isElsewhere || ELSEWHERE.includes(status ?? 0);
  return mayBeWrong && urlName ? ` Check ${urlName}.` : '';
}

/** Returns whether a 404 is about the model, by its message, and not about a missing path. */
function isAboutModel({ status, says, model }: FailedCall): boolean {
  if (status !== 404) return true;
  const words = says ?? '';
  if (/\b(GET|POST)\b|\binvalid url\b/i.test(words)) return false;
  return /model|deployment/i.test(words) || (model !== undefined && words.includes(model));
}

function unknownModel(call: FailedCall): string {
  const { provider, model, urlName = `the base URL of ${provider}` } = call;
  const named = model ? ` "${model}"` : '';
  return isAboutModel(call)
    ? `${provider} does not know the model${named}${because(call)}. Check the model's name and ${urlName}.`
    : `${provider} has no endpoint at the requested path${because(call)}. Check ${urlName}, then the model's name${named}.`;
}

function unsupportedFeature(call: FailedCall): string {
  const { says = null, param = null, code = null, chatSetting } = call;
  if (chatSetting) {
    return `The server of ${call.provider} has no Responses API${because(call)}. Set ${chatSetting}, or check ${call.urlName ?? 'its base URL'}.`;
  }
  const { problem, advice } = unsupportedIn({ message: says, param, code });
  return `The model "${call.model ?? ''}" ${quoteProvider(problem, call)}${because(call)}. ${advice}`;
}

type Meaning = { retry: Retry['kind']; sentence: (call: FailedCall) => string };

const MEANINGS = {
  provider_rate_limited: {
    retry: 'rate-limited',
    sentence: (call) => `${call.provider} is limiting the rate of requests${because(call)}.`,
  },
  provider_overloaded: {
    retry: 'later',
    sentence: (call) => `${call.provider} is overloaded${because(call)}.`,
  },
  provider_unavailable: {
    retry: 'later',
    sentence: (call) =>
      call.isLost
        ? `${call.provider} no longer has the background response of the round.`
        : `${call.provider} could not be reached, or closed the connection${because(call)}.${checkUrl(call)}`,
  },
  provider_timeout: {
    retry: 'later',
    sentence: (call) => `${call.provider} took too long${because(call)}.`,
  },
  provider_bad_response: {
    retry: 'later',
    sentence: (call) => `${call.provider} sent an unusable reply${because(call)}.${checkUrl(call)}`,
  },
  provider_authentication_failed: {
    retry: 'never',
    sentence: (call) => `${call.provider} refused the key${because(call)}. Check ${call.keyName ?? 'its key'}.`,
  },
  provider_permission_denied: {
    retry: 'never',
    sentence: (call) => `The key for ${call.provider} has no permission for this request${because(call)}.`,
  },
  provider_model_not_found: {
    retry: 'never',
    sentence: unknownModel,
  },
  model_unsupported_feature: {
    retry: 'never',
    sentence: unsupportedFeature,
  },
  provider_invalid_request: {
    retry: 'never',
    sentence: (call) => `${call.provider} refused the request${because(call)}.${checkUrl(call)}`,
  },
  context_length_exceeded: {
    retry: 'never',
    sentence: (call) =>
      `The conversation exceeds the context of the model "${call.model ?? ''}"${because(call)}. ` +
      'Shorten the history with `context`, start a new conversation, or choose a model with a larger context.',
  },
  quota_exceeded: {
    retry: 'never',
    sentence: (call) => `The quota or credit at ${call.provider} is used up${because(call)}. Add credit, then retry.`,
  },
  internal: {
    retry: 'never',
    sentence: (call) => `The call to ${call.provider} failed inside Pawl${because(call)}.`,
  },
} satisfies Record<string, Meaning>;

/** OpenAI, Azure. Rate limits of other providers say that resources are exhausted. */
const WORDS =
  /\bresources?[ _-]?(are |is )?(currently |temporarily )?(unavailable|not available)\b|\b(insufficient|not enough|no) (available )?(resources|capacity)\b/i;

/** Returns whether a 429 says that its provider has no resources for the request now. */
function lacksCapacity({ says, code }: { says?: string | null; code?: string | null }): boolean {
  return WORDS.test(code ?? '') || WORDS.test(says ?? '');
}
