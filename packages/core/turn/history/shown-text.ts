import { dataOf, shownPart } from '../parts/part-data.ts';
import { type Part, plainPart } from '../request/item.ts';

/** Returns a part as text. Media become a note with their address. */
export function shownText(part: Part): string {
  const address = dataOf(shownPart(part))?.address;
  return address === undefined ? plainPart(part) : `${plainPart(part)} ${address}`;
}

/** Returns parts as text, each on its own line. */
export function shownTexts(parts: readonly Part[]): string {
  return parts.map(shownText).join('\n');
}
