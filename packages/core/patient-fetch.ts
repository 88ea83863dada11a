import { Agent, fetch as undiciFetch } from 'undici';

/**
 * A `fetch` that never gives up waiting: a tool may take longer than the five minutes Node allows between two bytes,
 * and our own bounds apply. `close` ends its connections.
 */
export function patientFetch(): { fetch: typeof globalThis.fetch; close(): Promise<void> } {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const fetch = (url: string | URL | Request, init?: RequestInit) =>
    // Node's fetch refuses this package's Agent, and its types know only their own Request and Response.
    undiciFetch(url as string, { ...init, dispatcher: agent } as never) as unknown as Promise<Response>;
  return { fetch, close: () => agent.destroy() };
}
