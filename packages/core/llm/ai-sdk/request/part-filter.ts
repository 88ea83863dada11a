import type { Part } from '../../../turn/request/item.ts';
import { renderPart } from './render-parts.ts';

/** Addresses that a model fetches by itself, by patterns of media types. */
type SupportedUrls = Record<string, RegExp[]>;

/**
 * Whether a model can be given a part: those with data as they are, addresses where the model fetches them by itself, since
 * Pawl does not. `onHidden` is told of each address that it does not fetch.
 */
export function partFilter(urls: SupportedUrls, onHidden: (what: string) => void): (part: Part) => boolean {
  return (part) => {
    const rendered = renderPart(part);
    if (rendered?.type !== 'file' || rendered.data.type !== 'url') return rendered !== null;
    const { mediaType, data } = rendered;
    const address = data.url.href.toLowerCase();
    const isFetched = Object.entries(urls).some(
      ([type, patterns]) => fitsType(mediaType, type) && patterns.some((pattern) => pattern.test(address)),
    );
    if (!isFetched) onHidden(part.type === 'input_image' ? 'an image' : 'a file');
    return isFetched;
  };
}

function fitsType(mediaType: string, pattern: string): boolean {
  return pattern === '*' || pattern === '*/*' || mediaType.startsWith(pattern.replace(/\*$/, ''));
}
