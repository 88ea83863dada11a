/** Makes the secrets known at start unreadable in a text: each becomes `[redacted]`. */
export type Redact = (text: string) => string;

/**
 * Finds each secret as it is, in JSON, in a URL and in base64, alone or inside a longer text. It is one expression over
 * all secrets, so megabytes take milliseconds. A secret of a few letters would be found where it is none.
 */
export function makeRedact(secrets: Iterable<string>): Redact {
  const spellings = [...new Set(secrets)].filter((secret) => secret !== '').flatMap(spellingsOf);
  if (spellings.length === 0) return (text) => text;
  const longestFirst = spellings.sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(waysToWrite).join('|'), 'g');
  return (text) => text.replace(pattern, '[redacted]');
}

function spellingsOf(secret: string): string[] {
  return [secret, ...[0, 1, 2].map((offset) => base64Within(secret, offset))];
}

/** What base64 always has of a secret that stands `offset` bytes, by threes, into what was encoded. */
function base64Within(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

/** Letters and digits stand for themselves; what else there is may be escaped, as each encoder sees fit. */
function waysToWrite(text: string): string {
  return text.replace(/\\+|[^a-z0-9\\]/giu, (piece) => `(?:${plainly(piece)}|${inJson(piece)}|${inUrl(piece)})`);
}

/** JSON within JSON writes up to three backslashes before a character, and four for each. */
function plainly(piece: string): string {
  if (piece.startsWith('\\')) return `\\\\{${piece.length},${piece.length * 4}}`;
  return (
    ALIKE[piece] ??
    `\\\\{0,3}${unitsOf(piece)
      .map((unit) => `\\u${unit}`)
      .join('')}`
  );
}

/** A form writes a space as a plus; the base64 of URLs has two characters of its own. */
const ALIKE: Record<string, string> = { ' ': '[ +]', '+': '[+-]', '/': '(?:\\\\{0,3}/|_)' };

function inJson(piece: string): string {
  return unitsOf(piece)
    .map((unit) => `\\\\{1,4}u${inAnyCase(unit)}`)
    .join('');
}

function inUrl(piece: string): string {
  return Buffer.from(piece)
    .toString('hex')
    .replace(/../g, (byte) => `%${inAnyCase(byte)}`);
}

/** The UTF-16 units of a text, as four hex digits each. */
function unitsOf(text: string): string[] {
  return text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

function inAnyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
