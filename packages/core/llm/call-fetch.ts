import type { Fetch } from './watch-fetch.ts';

const OWN = Symbol('the fetch of one call');

type Carrying = RequestInit & { [OWN]: Fetch };

/** The `fetch` of a client that serves all calls: it is whichever the call brings in its `callOptions`. */
export const callFetch: Fetch = (url, init) => (init as Carrying)[OWN](url, init);

/** What a call brings: the SDKs hand `fetchOptions` on to the client's `fetch` as they are. */
export function callOptions(fetch: Fetch): { fetchOptions: object } {
  return { fetchOptions: { [OWN]: fetch } satisfies Carrying };
}
