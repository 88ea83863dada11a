import { makeApp } from '#services/api/app.ts';
import type { ApiContext } from '#services/api/context.ts';
import { makeApiKeys } from '#services/api/http/api-keys.ts';

/** Makes an API that only describes itself, so it needs no store and no network. */
export function makeDescribedApp() {
  // The route of the document uses only the keys of the context.
  return makeApp({ keys: makeApiKeys(() => [], '127.0.0.1') } as ApiContext);
}

export async function readDocument<Document>(app = makeDescribedApp()): Promise<Document> {
  const answer = await app.request('/openapi.json');
  return (await answer.json()) as Document;
}
