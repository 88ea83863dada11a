import { getPath } from 'hono/utils/url';

/** The bases of responses: next to Pawl's own API, and the base of an OpenAI client. */
export const RESPONSE_BASES = ['/v1', '/openai/v1'] as const;

export type ResponseBase = (typeof RESPONSE_BASES)[number];

/** Returns whether a path belongs to OpenAI's API as Pawl serves it, even if no route has it. */
export function isUnderResponses(path: string): boolean {
  return /^\/v1\/(responses|chat\/completions|files)(\/|$)/.test(path) || path.startsWith('/openai/v1/');
}

/** Returns whether a path accepts a multipart form. Only files are sent as forms. */
export function takesForm(path: string): boolean {
  return /^(\/openai)?\/v1\/files$/.test(path);
}

/** The paths of OpenAI's API that have Pawl's own shape under `/v1`, or do not exist there. */
const ONLY_UNDER_OPENAI = /^\/v1\/(?:conversations(?:\/[^/]+(?:\/items(?:\/[^/]+)?)?)?|models(?:\/.+)?)$/;

/** The operations on these paths that OpenAI's API does not have. */
const NATIVE_ALONE = /^(?:(?:GET|HEAD) \/v1\/conversations|PATCH \/v1\/conversations\/[^/]+)$/;

/**
 * Returns the path under which the API answers a request. An OpenAI client at `/v1` gets the conversations and models
 * of `/openai/v1`, because its SDK reads only that shape. All other requests keep their path.
 */
export function servedPath(request: Request): string {
  const path = getPath(request);
  if (!ONLY_UNDER_OPENAI.test(path) || NATIVE_ALONE.test(`${request.method} ${path}`)) return path;
  return isFromOpenaiClient(request.headers) ? `/openai${path}` : path;
}

/** Recognizes SDKs of OpenAI, and SDKs based on them. These change `user-agent` and keep `x-stainless-*`. */
function isFromOpenaiClient(headers: Headers): boolean {
  if (/^(?:Async)?(?:Azure)?OpenAI[/:]/.test(headers.get('user-agent') ?? '')) return true;
  return [...headers.keys()].some((name) => name.startsWith('x-stainless-'));
}
