/** A media type with a test of the first bytes. */
type Sniffed = { mediaType: string; matches(bytes: Buffer): boolean };

/** The types that their first bytes identify. */
const KNOWN: Sniffed[] = [
  { mediaType: 'image/png', matches: (bytes) => startsWith(bytes, '89504e470d0a1a0a') },
  { mediaType: 'image/jpeg', matches: (bytes) => startsWith(bytes, 'ffd8ff') },
  { mediaType: 'image/gif', matches: (bytes) => /^GIF8[79]a/.test(latin(bytes, 0, 6)) },
  { mediaType: 'image/webp', matches: (bytes) => latin(bytes, 0, 4) === 'RIFF' && latin(bytes, 8, 12) === 'WEBP' },
  { mediaType: 'application/pdf', matches: (bytes) => latin(bytes, 0, 1_024).includes('%PDF-') },
  { mediaType: 'audio/wav', matches: (bytes) => latin(bytes, 0, 4) === 'RIFF' && latin(bytes, 8, 12) === 'WAVE' },
  { mediaType: 'audio/mp3', matches: isMp3 },
];

/** Returns whether a text has the form of a media type (RFC 6838), so that a header can contain it. */
export function isMediaType(text: string): boolean {
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/.test(text);
}

/** Returns whether the first bytes contradict the declared type. */
export function contradictsMediaType(mediaType: string, bytes: Buffer): boolean {
  const said = KNOWN.find((known) => known.mediaType === mediaType);
  if (said) return !said.matches(bytes);
  return /^(?:image|text)\//.test(mediaType) && KNOWN.some((known) => isCertain(known) && known.matches(bytes));
}

/** Returns the type that the first bytes identify with certainty, or null. */
export function certainTypeOf(bytes: Buffer): string | null {
  if (latin(bytes, 0, 5) === '%PDF-') return 'application/pdf';
  return KNOWN.find((known) => isCertain(known) && known.matches(bytes))?.mediaType ?? null;
}

/** Excludes audio and PDF, since a text may begin with their marks. */
function isCertain({ mediaType }: Sniffed): boolean {
  return mediaType.startsWith('image/') || mediaType === 'audio/wav';
}

/** The most pixels of an image. A program that opens an image holds four bytes for each pixel. */
const MAX_PIXELS = 64_000_000;

/** Returns why an image has too many pixels, as the end of a sentence, or null for any other data. */
export function problemOfPixels(mediaType: string, bytes: Buffer): string | null {
  const pixels = pixelsOf(mediaType, bytes);
  const isTooLarge = pixels !== null && pixels.width * pixels.height > MAX_PIXELS;
  return isTooLarge ? `give an image of at most ${MAX_PIXELS / 1e6} megapixels` : null;
}

/** Reads the width and height in pixels from the header of an image, or returns null if the header is unreadable. */
export function pixelsOf(mediaType: string, bytes: Buffer): { width: number; height: number } | null {
  switch (mediaType) {
    case 'image/png':
      return bytes.length < 24 ? null : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    case 'image/gif':
      return bytes.length < 10 ? null : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    case 'image/jpeg':
      return pixelsOfJpeg(bytes);
    case 'image/webp':
      return bytes.length < 30 ? null : pixelsOfWebp(bytes);
    default:
      return null;
  }
}

function isMp3(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  return latin(bytes, 0, 3) === 'ID3' || (first === 0xff && (second & 0xe0) === 0xe0);
}

/** Skips the segments before the frame header by their lengths. */
function pixelsOfJpeg(bytes: Buffer): { width: number; height: number } | null {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function pixelsOfWebp(bytes: Buffer): { width: number; height: number } | null {
  switch (latin(bytes, 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    default:
      return null;
  }
}

function startsWith(bytes: Buffer, hex: string): boolean {
  return bytes.toString('hex', 0, hex.length / 2) === hex;
}

function latin(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}
