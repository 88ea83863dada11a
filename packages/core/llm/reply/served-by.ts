import { cleanText } from '../../text.ts';
import type { Reply } from '../../turn/reply.ts';
import { wordIn } from './fields.ts';

/** The reported id of the response, and the reported model. */
export type ServedBy = Pick<Reply, 'responseId' | 'responseModel'>;

/** The longest stored id or model, in UTF-16 code units. */
const LONGEST = 200;

/** Stores the id and the model that an event reports. The first of each counts, since some servers change them. */
export function keepServedBy(served: ServedBy, { id, model }: { id?: unknown; model?: unknown }): void {
  const [responseId, responseModel] = [wordIn(id), wordIn(model)];
  if (responseId && served.responseId === undefined) served.responseId = cleanText(responseId.slice(0, LONGEST));
  if (responseModel && served.responseModel === undefined)
    served.responseModel = cleanText(responseModel.slice(0, LONGEST));
}

/** The longest stored word for a tier, in UTF-16 code units. */
const LONGEST_TIER = 100;

/** Returns the field for the reported tier, or no field without a report. */
export function tierField(reported: string | null): Pick<Reply, 'serviceTier'> {
  return reported ? { serviceTier: cleanText(reported.slice(0, LONGEST_TIER)) } : {};
}
