import { getPath } from 'hono/utils/url';

/** Where responses are reached: beside Pawl's own API, and where an OpenAI client finds all that it knows. */
export const RESPONSE_BASES = ['/v1', '/openai/v1'] as const;

export type ResponseBase = (typeof RESPONSE_BASES)[number];

/** Whether a path is one of OpenAI's API as Pawl serves it, or would be if there were such a route. */
export function isUnderResponses(path: string): boolean {
  return /^\/v1\/(responses|chat\/completions|files)(\/|$)/.test(path) || path.startsWith('/openai/v1/');
}

/** Returns whether a path accepts a multipart form. Only files are sent in one. */
export function takesForm(path: string): boolean {
  return /^(\/openai)?\/v1\/files$/.test(path);
}

/** The paths of OpenAI's API that `/v1` has in Pawl's own shape, or not at all. */
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

/** Recognizes SDKs of OpenAI, and SDKs on top of them: these change `user-agent` and keep `x-stainless-*`. */
function isFromOpenaiClient(headers: Headers): boolean {
  if (/^(?:Async)?(?:Azure)?OpenAI[/:]/.test(headers.get('user-agent') ?? '')) return true;
  return [...headers.keys()].some((name) => name.startsWith('x-stainless-'));
}
