import { cleanText } from '../../text.ts';
import type { Reply } from '../../turn/reply.ts';
import { wordIn } from './fields.ts';

/** The id that the provider gave its response, and the model that it says wrote it. */
export type ServedBy = Pick<Reply, 'responseId' | 'responseModel'>;

/** The longest id or model that is kept, in UTF-16 code units. */
const LONGEST = 200;

/** Keeps the id and the model that an event reports. The first of each counts, since some servers change them. */
export function keepServedBy(served: ServedBy, { id, model }: { id?: unknown; model?: unknown }): void {
  const [responseId, responseModel] = [wordIn(id), wordIn(model)];
  if (responseId && served.responseId === undefined) served.responseId = cleanText(responseId.slice(0, LONGEST));
  if (responseModel && served.responseModel === undefined)
    served.responseModel = cleanText(responseModel.slice(0, LONGEST));
}

/** The longest word for a tier that is kept, in UTF-16 code units. */
const LONGEST_TIER = 100;

/** The field of a reply for the tier that the provider reports; none if it reports no tier. */
export function tierField(reported: string | null): Pick<Reply, 'serviceTier'> {
  return reported ? { serviceTier: cleanText(reported.slice(0, LONGEST_TIER)) } : {};
}
