import { isRecord } from '../../json.ts';
import { takeImage } from '../../turn/hosted/take-image.ts';
import { readDataUrl } from '../../turn/parts/data-url.ts';
import { wordIn } from '../reply/fields.ts';
import { type Item, typeOf } from './item.ts';

/** Returns the images of an item as `data:` URLs, in their order. */
export function hostedImages(item: Item): string[] {
  if (typeOf(item) === 'image_generation_call') return resultOf(item) ?? [];
  return outputsOf(item).flatMap((output) => imageOf(output) ?? []);
}

/**
 * Returns an item without the data of its images. The worker stores exactly these images as blobs, in their order.
 * Images that cannot become blobs are removed. Null if the item has no other content.
 */
export function emptyImages(item: Item): Item | null {
  if (typeOf(item) === 'image_generation_call') return emptyResult(item);
  if (outputsOf(item).length === 0) return item;
  return { ...item, outputs: outputsOf(item).flatMap(emptyOutput) };
}

/** Fills the images of a message into its emptied items, in order. An item or output without its image is omitted. */
export function fillImages(items: readonly Item[], images: readonly string[]): (Item | null)[] {
  let at = 0;
  const next = () => {
    const image = readDataUrl(images[at] ?? '');
    at += 1;
    return image;
  };
  const fillOutput = (output: unknown): unknown[] => {
    if (!isRecord(output) || output.type !== 'image' || output.url !== '') return [output];
    const image = next();
    return image ? [{ ...output, url: `data:${image.mediaType};base64,${image.base64}` }] : [];
  };
  return items.map((item) => {
    if (item.type === 'image_generation_call' && item.result === '') {
      const image = next();
      return image && { ...item, result: image.base64 };
    }
    return outputsOf(item).length > 0 ? { ...item, outputs: outputsOf(item).flatMap(fillOutput) } : item;
  });
}

function outputsOf(item: Item): unknown[] {
  return typeOf(item) === 'code_interpreter_call' && Array.isArray(item.outputs) ? item.outputs : [];
}

function resultOf({ result, output_format: format }: Item): string[] | null {
  if (typeof result !== 'string' || result === '') return null;
  return [`data:${mediaTypeOf(result, format)};base64,${result}`];
}

function emptyResult(item: Item): Item | null {
  const [image] = resultOf(item) ?? [];
  // An empty text marks an image that was removed here.
  if (image === undefined) return item.result === '' ? { ...item, result: null } : item;
  return takeImage(image) ? { ...item, result: '' } : null;
}

function imageOf(output: unknown): string | null {
  if (!isRecord(output) || output.type !== 'image' || typeof output.url !== 'string') return null;
  return /^data:/i.test(output.url) ? output.url : null;
}

function emptyOutput(output: unknown): unknown[] {
  if (isRecord(output) && output.type === 'image' && output.url === '') return [];
  const image = imageOf(output);
  if (image === null) return [output];
  return isRecord(output) && takeImage(image) ? [{ ...output, url: '' }] : [];
}

/** The beginnings of images in base64. */
const BEGINNINGS: [beginning: string, mediaType: string][] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
];

function mediaTypeOf(base64: string, format: unknown): string {
  const known = BEGINNINGS.find(([beginning]) => base64.startsWith(beginning));
  const named = wordIn(format) || 'png';
  return known?.[1] ?? `image/${named === 'svg' ? 'svg+xml' : named}`;
}
