import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import type { Hosted } from '../../turn/hosted/hosted.ts';
import { boundReply } from '../unusable-reply.ts';
import { citationsIn } from './citations.ts';
import { hostedCallOf } from './hosted-call.ts';
import { hostedImages } from './hosted-images.ts';
import { type Item, partsOf, textPartOf, typeOf } from './item.ts';

/** The text of all messages of a reply, the start of a refusal in it, and the additions of the provider. */
type Said = { text: string; refusalFrom: number | null; hosted: Hosted };

/** Reads the text of a reply from its items, with its additions. `isCut`: the response ended before its time. */
export function saidIn(items: readonly Item[], isCut: boolean): Said {
  const said: Said = { text: '', refusalFrom: null, hosted: { calls: [], annotations: [], images: [] } };
  for (const [place, item] of items.entries()) {
    if (typeOf(item) === 'message') addMessage(said, item);
    const call = hostedCallOf(item, { place, isCut });
    if (call) said.hosted.calls.push({ ...call, offset: said.text.length });
    said.hosted.images.push(...hostedImages(item).map((url) => ({ url, offset: said.text.length })));
  }
  return said;
}

function addMessage(said: Said, message: Item): void {
  for (const part of partsOf(message)) {
    const read = textPartOf(part);
    if (!read) continue;
    if (read.field === 'refusal') said.refusalFrom ??= said.text.length;
    const place = { start: said.text.length, length: read.text.length };
    said.hosted.annotations.push(...citationsIn(part, place));
    boundReply(said.hosted.annotations.length, REPLY_BOUNDS.parts, 'citations in one reply');
    said.text += read.text;
  }
}

/** Returns the additions of the provider as a field of a reply. Empty if there are none. */
export function hostedField({ hosted }: Said): { hosted?: Hosted } {
  return Object.values(hosted).some((list) => list.length > 0) ? { hosted } : {};
}
