import { send } from '../base/api.js';
import { element } from '../base/element.js';

/**
 * A part as any read shows it; each type has some of the fields.
 * @typedef {{ type: string, text?: string, image_url?: string | undefined, filename?: string | null | undefined,
 *   file_url?: string | undefined, file_data?: string | undefined, data?: string | undefined }} ContentPart
 */

/** A message of an input. @typedef {{ role: string, content: string | readonly ContentPart[] }} Said */

/** Images of more bytes than this are not loaded by the page. */
const MOST_BYTES = 4 * 1024 * 1024;
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * What was said: a text, or its parts one below the other.
 * @param {string | readonly ContentPart[]} content
 */
export function contentView(content) {
  if (typeof content === 'string') return [element('p', { class: 'said' }, content)];
  return content.map(partView);
}

/**
 * How many characters of text a content has.
 * @param {string | readonly ContentPart[]} content
 */
export function lengthOf(content) {
  return typeof content === 'string' ? content.length : content.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
}

/** @param {ContentPart} part */
function partView({ type, text, image_url: image, filename, file_url: url, file_data: file, data }) {
  if (text !== undefined) return element('p', { class: 'said' }, text);
  if (image?.startsWith('/v1/blobs/')) return blobView(image);
  // The page loads nothing from other hosts: an image that is elsewhere stands as its address.
  const where = filename ?? image ?? url ?? file ?? data;
  return element('p', { class: 'meta' }, `${type.replace('input_', '')}${where ? `: ${where}` : ''}`);
}

/**
 * An image that is read with the key of the tab, once it comes into view.
 * @param {string} path
 */
function blobView(path) {
  const view = element('p', { class: 'meta' }, `image: ${path}`);
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    showImage(view, path).catch((error) => {
      view.textContent = `image: ${path} (${error instanceof Error ? error.message : error})`;
    });
  });
  observer.observe(view);
  return view;
}

/**
 * @param {HTMLElement} view
 * @param {string} path
 */
async function showImage(view, path) {
  const response = await send('GET', path);
  const type = response.headers.get('content-type') ?? '';
  const isShown = SHOWN.includes(type) && Number(response.headers.get('content-length')) <= MOST_BYTES;
  if (!isShown) {
    await response.body?.cancel();
    return;
  }
  const src = await dataUrlOf(await response.blob());
  view.replaceChildren(element('img', { class: 'given', src, alt: 'Image' }));
}

/**
 * @param {Blob} blob
 * @returns {Promise<string>}
 */
function dataUrlOf(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
