import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Reply } from '../../turn/reply.ts';
import type { RoundRequest } from '../provider.ts';
import { askAgain, type Outcome } from '../refusals/ask-again.ts';
import { learnQuirk } from './learn-quirk.ts';
import { type Quirks, renderRequest } from './render-request.ts';

/** Sends one request, rendered with these quirks. */
type Send = (quirks: Quirks) => Promise<Outcome>;

/** Servers are updated, and gateways move models: after this time a model is asked as configured again. */
const HOUR_MS = 60 * 60 * 1000;

/**
 * Makes the function that asks a provider, and asks again at once if a refusal shows how the server takes the request.
 * The process remembers for each model what helped, for the last 1,000 models and at most an hour. State that is invalid
 * in one history is healthy in others, so that this is not remembered.
 */
export function rememberQuirks(provider: string, configured: Required<Quirks>) {
  const learned = new LRUCache<string, Required<Quirks>>({ max: 1_000, ttl: HOUR_MS });
  const remember = (model: string, quirks: Required<Quirks>, known: Required<Quirks>) => {
    if (!isDeepStrictEqual(quirks, known)) learned.set(model, quirks);
  };

  return async (request: RoundRequest, send: Send): Promise<Reply> => {
    const first = learned.get(request.model) ?? configured;
    const { reply, form } = await askAgain(first, {
      send,
      bodyOf: (quirks) => renderRequest(request, { provider, ...quirks }),
      learn: (refused, quirks) => learnQuirk(refused, { request, quirks, first }),
    });
    if (form !== first) remember(request.model, { ...form, isKept: true }, first);
    return reply;
  };
}
