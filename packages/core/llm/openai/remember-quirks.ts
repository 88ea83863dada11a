import { isDeepStrictEqual } from 'node:util';
import type { Reply } from '../../turn/reply.ts';
import type { RoundRequest } from '../provider.ts';
import { askAgain, type Outcome } from '../refusals/ask-again.ts';
import { rememberForms } from '../refusals/remember-forms.ts';
import { learnQuirk } from './learn-quirk.ts';
import { type Quirks, renderRequest } from './render-request.ts';

/** Sends one request, rendered with these quirks. */
type Send = (quirks: Quirks) => Promise<Outcome>;

/**
 * Makes the function that asks a provider, and asks again at once if a refusal shows how the server takes the request.
 * What helped is remembered for the model. State that is invalid in one history is healthy in others, so that this is
 * not remembered.
 */
export function rememberQuirks(provider: string, configured: Required<Quirks>) {
  const { formFor, learn } = rememberForms(configured);
  return async (request: RoundRequest, send: Send): Promise<Reply> => {
    const first = formFor(request.model);
    const { reply, form } = await askAgain(first, {
      send,
      bodyOf: (quirks) => renderRequest(request, { provider, ...quirks }),
      learn: (refused, quirks) => learnQuirk(refused, { request, quirks, first }),
    });
    const next = { ...form, isKept: true };
    if (form !== first && !isDeepStrictEqual(next, first)) learn(request.model, next);
    const hasLost = !form.isKept || form.refusedState.length > first.refusedState.length;
    return hasLost ? { ...reply, leftStateOut: true } : reply;
  };
}
