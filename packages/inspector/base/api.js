import { requestKey, storedKey } from './key.js';
import { noteServerTime } from './time.js';

/** A refusal or failure of the API, in its own words. */
export class Refused extends Error {
  /**
   * @param {number} status 0 where there was no answer at all
   * @param {string} message
   * @param {string | null} [param] the field it is about: `approvals[0].arguments.city`
   */
  constructor(status, message, param = null) {
    super(message);
    this.status = status;
    this.param = param;
  }
}

/**
 * An error as the page shows it: what the API refused, or what else went wrong.
 * @param {unknown} error
 */
export function asRefused(error) {
  return error instanceof Refused ? error : new Refused(0, error instanceof Error ? error.message : String(error));
}

/** @typedef {{ headers?: Record<string, string>, body?: unknown, signal?: AbortSignal }} Request */

/**
 * Calls the API and reads its JSON; throws what it refuses.
 * @template Body
 * @param {string} method
 * @param {string} path
 * @param {Request} [request]
 * @returns {Promise<Body>}
 */
export async function call(method, path, request) {
  const response = await send(method, path, request);
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(
      0,
      `What came back for ${method} ${path} is no JSON. Is it Pawl's API that answers here, or a proxy?`,
    );
  }
}

/**
 * Sends a request with the tab's key; requests a key from the person where it is missing or wrong.
 * @param {string} method
 * @param {string} path
 * @param {Request} [request]
 * @returns {Promise<Response>}
 */
export async function send(method, path, request = {}) {
  for (;;) {
    const usedKey = storedKey();
    const response = await fetch(urlOf(path), initOf(method, request, usedKey)).catch((error) => {
      if (request.signal?.aborted) throw error;
      throw new Refused(0, 'The API cannot be reached. Is it running?');
    });
    noteServerTime(response.headers.get('date'));
    if (response.ok) return response;
    if (response.status !== 401) throw await refusalOf(response);
    // A key that was entered while this request was in flight is tried before the person is asked again.
    const hasAnother = storedKey() !== usedKey || (await requestKey());
    if (!hasAnother) throw await refusalOf(response);
  }
}

/**
 * The whole URL of a path, wherever the API is mounted.
 * @param {string} path
 */
export function urlOf(path) {
  return new URL(path.replace(/^\//, ''), document.baseURI).href;
}

/**
 * @param {string} method
 * @param {Request} request
 * @param {string | null} key
 * @returns {RequestInit}
 */
function initOf(method, { headers = {}, body, signal }, key) {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    method,
    headers: { ...headers, ...content, ...authorization },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
}

/** @param {Response} response */
async function refusalOf(response) {
  const body = await response.json().catch(() => null);
  const { message = `The API answered ${response.status}.`, param = null } = body?.error ?? {};
  return new Refused(response.status, message, param);
}
