/** The content of a `data:` URL: its lower-case media type without parameters, and its bytes in base64. */
export type DataUrl = { mediaType: string; base64: string };

/** Reads a `data:` URL, in base64 or percent-encoded, or returns null for any other URL. */
export function readDataUrl(url: string): DataUrl | null {
  const comma = url.indexOf(',');
  if (!/^data:/i.test(url) || comma === -1) return null;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const data = url.slice(comma + 1);
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64';
  const base64 = isBase64 ? standardBase64(data) : base64OfText(data);
  return base64 === null ? null : { mediaType: mediaType.trim().toLowerCase() || 'text/plain', base64 };
}

/** Decodes base64 as UTF-8, or returns null if the bytes are not text. */
export function textOfBase64(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return null;
  }
}

/** Returns whether the provider can fetch an address itself. */
export function isRemote(url: string | undefined): url is string {
  return /^https:\/\//i.test(url ?? '');
}

/** Returns base64 in the form that every wire takes: without line breaks and without the URL alphabet. */
function standardBase64(data: string): string | null {
  if (isBase64(data)) return data;
  const plain = data
    .replace(/\s+|%0a|%0d/gi, '')
    .replace(/%3d/gi, '=')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  return isBase64(plain) ? plain : null;
}

/**
 * Accepts base64 without padding. A single digit at the end is not a byte. Reads each character itself, since a regular
 * expression that matches millions of characters can fail with a RangeError.
 */
function isBase64(data: string): boolean {
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='));
  const digits = data.length - padding;
  if (digits === 0 || digits % 4 === 1 || (padding > 0 && data.length % 4 !== 0)) return false;
  for (let index = 0; index < digits; index += 1) if (DIGITS[data.charCodeAt(index)] !== 1) return false;
  return true;
}

/** 1 at the code of each digit of base64. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => Number(/[a-z0-9+/]/i.test(String.fromCharCode(code))));

function base64OfText(data: string): string | null {
  try {
    return Buffer.from(decodeURIComponent(data)).toString('base64') || null;
  } catch {
    return null;
  }
}
