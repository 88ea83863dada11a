import { certainTypeOf, contradictsMediaType, isMediaType } from './media-type.ts';

const ANY = 'application/octet-stream';

/**
 * Returns the declared type, or the type of the name, or the type of the bytes. A type that the bytes contradict
 * never counts.
 */
export function typeOfFile(file: { declared: string; filename: string; bytes: Buffer }): string {
  const { declared, filename, bytes } = file;
  const said = declared.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = [said === 'image/jpg' ? 'image/jpeg' : said, typeOfEnding(filename), certainTypeOf(bytes)];
  const fits = (type: string | null) => type !== null && type !== ANY && isMediaType(type);
  return known.find((type) => fits(type) && !contradictsMediaType(type ?? '', bytes)) ?? ANY;
}

const TYPES: Record<string, string> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ heic: 'image/heic', heif: 'image/heif', pdf: 'application/pdf', txt: 'text/plain', md: 'text/markdown' },
  ...{ mp3: 'audio/mp3', wav: 'audio/wav' },
  ...{ html: 'text/html', csv: 'text/csv', json: 'application/json', xml: 'text/xml' },
};

/** Returns the media type for the ending of a name or path, or null for an unknown ending. */
export function typeOfEnding(name: string): string | null {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TYPES, ending) ? (TYPES[ending] ?? null) : null;
}
