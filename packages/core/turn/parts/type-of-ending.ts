/** The media types of file endings. */
const TYPES: Record<string, string> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ heic: 'image/heic', heif: 'image/heif', pdf: 'application/pdf', txt: 'text/plain', md: 'text/markdown' },
  ...{ mp3: 'audio/mp3', wav: 'audio/wav' },
  ...{ html: 'text/html', csv: 'text/csv', json: 'application/json', xml: 'text/xml' },
};

/** Returns the media type that the ending of a name or a path stands for; null for any other ending. */
export function typeOfEnding(name: string): string | null {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TYPES, ending) ? (TYPES[ending] ?? null) : null;
}
