import { type NewBlob, takeInline } from '../parts/take-inline.ts';
import type { Part } from '../request/item.ts';

/** The types of images that models make. Every browser shows them. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/**
 * Takes the data out of an image that a model made. Returns the part with the address of its blob, and the blob. Null
 * if the `data:` URL is no valid image of a known type.
 */
export function takeImage(url: string): { part: Part; blob: NewBlob } | null {
  const taken = takeInline({ type: 'input_image', image_url: url });
  return taken && 'blob' in taken && TYPES.includes(taken.blob.mediaType) ? taken : null;
}
