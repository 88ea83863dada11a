import { cleanText } from '../../text.ts';
import type { Reply } from '../../turn/reply.ts';

/** The longest word of a provider for a tier that is kept, in UTF-16 code units. */
const LONGEST = 100;

/** The field of a reply for the tier that the provider reports; none if it reports no tier. */
export function tierField(reported: string | null): Pick<Reply, 'serviceTier'> {
  return reported ? { serviceTier: cleanText(reported.slice(0, LONGEST)) } : {};
}
