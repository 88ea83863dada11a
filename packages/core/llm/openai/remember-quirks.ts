import { LRUCache } from 'lru-cache';
import type { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import { writeBody } from '../http/write-body.ts';
import type { RoundRequest } from '../provider.ts';
import { learnQuirk, type Refused, type Tried } from './learn-quirk.ts';
import { type Quirks, renderRequest } from './render-request.ts';

/** What came of one request: the reply, or a refusal before anything was said. */
export type Outcome = { kind: 'reply'; reply: Reply } | ({ kind: 'refused'; failure: ProviderFailed } & Refused);

/** Sends one request, rendered with these quirks. */
type Send = (quirks: Quirks) => Promise<Outcome>;

/** Servers are updated, and gateways move models: after this time a model is asked as configured again. */
const HOUR_MS = 60 * 60 * 1000;

/**
 * Makes the function that asks a provider, and asks again at once if a refusal shows how the server takes the request.
 * The process remembers for each model what helped, for the last 1,000 models and at most an hour.
 */
export function rememberQuirks(provider: string, configured: Required<Quirks>) {
  const learned = new LRUCache<string, Required<Quirks>>({ max: 1_000, ttl: HOUR_MS });

  return async (request: RoundRequest, send: Send): Promise<Reply> => {
    const first = learned.get(request.model) ?? configured;
    for (let quirks = first; ; ) {
      const outcome = await send(quirks);
      if (outcome.kind === 'reply') {
        if (quirks !== first) learned.set(request.model, quirks);
        return outcome.reply;
      }
      const next = await nextQuirks(outcome, { request, quirks, first }, provider);
      if (!next) throw outcome.failure;
      quirks = next;
    }
  };
}

/** The quirks for another try, with which the request looks different: the server would refuse the same one again. */
async function nextQuirks(refused: Refused, tried: Tried, provider: string): Promise<Required<Quirks> | null> {
  let next = learnQuirk(refused, tried);
  while (next && (await isSameBody(tried.request, provider, [tried.quirks, next]))) {
    next = learnQuirk(refused, { ...tried, quirks: next });
  }
  return next;
}

async function isSameBody(request: RoundRequest, provider: string, [one, other]: [Quirks, Quirks]): Promise<boolean> {
  const before = await writeBody(renderRequest(request, { provider, ...one }));
  const after = await writeBody(renderRequest(request, { provider, ...other }));
  return Buffer.compare(before, after) === 0;
}
