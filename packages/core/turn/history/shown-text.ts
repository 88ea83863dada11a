import { dataOf, shownPart } from '../parts/part-data.ts';
import { type Part, plainPart } from '../request/item.ts';

/** A part as text, for a place that has no other: a note with the address of what is no text. */
export function shownText(part: Part): string {
  const address = dataOf(shownPart(part))?.address;
  return address === undefined ? plainPart(part) : `${plainPart(part)} ${address}`;
}

/** Parts in a place that has text only, each on a line of its own. */
export function shownTexts(parts: readonly Part[]): string {
  return parts.map(shownText).join('\n');
}
