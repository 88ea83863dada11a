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

/** Whether a path is one of OpenAI's that looks like a response's own, and is none here (contract-responses section 10). */
export function isNotServed(path: string): boolean {
  return /^(\/openai)?\/v1\/responses\/compact$/.test(path);
}
