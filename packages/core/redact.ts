/** A function that makes the secrets known at start unreadable in a text: each becomes `[redacted]`. */
export type Redact = (text: string) => string;

/**
 * Creates such a function. One expression finds each secret as it is, in JSON, in a URL and in base64, also within a
 * longer text.
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

/**
 * Returns the part of a secret's base64 that is the same for each start of the secret at `offset`, modulo 3, in a
 * text.
 */
function base64Within(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

/**
 * Returns an expression for the spellings of a text. Letters and digits are not escaped. Each encoder may escape
 * other characters in its own way.
 */
function waysToWrite(text: string): string {
  return text.replace(/\\+|[^a-z0-9\\]/giu, (part) => `(?:${plainly(part)}|${inJson(part)}|${inUrl(part)})`);
}

/**
 * Returns an expression for the plain form of a part. JSON within JSON writes up to three backslashes before a
 * character, and four for each backslash.
 */
function plainly(part: string): string {
  if (part.startsWith('\\')) return `\\\\{${part.length},${part.length * 4}}`;
  return (
    ALIKE[part] ??
    `\\\\{0,3}${unitsOf(part)
      .map((unit) => `\\u${unit}`)
      .join('')}`
  );
}

/**
 * The characters with two spellings: a form writes a space as a plus, and the base64 of URLs has two other
 * characters.
 */
const ALIKE: Record<string, string> = { ' ': '[ +]', '+': '[+-]', '/': '(?:\\\\{0,3}/|_)' };

function inJson(part: string): string {
  return unitsOf(part)
    .map((unit) => `\\\\{1,4}u${inAnyCase(unit)}`)
    .join('');
}

function inUrl(part: string): string {
  return Buffer.from(part)
    .toString('hex')
    .replace(/../g, (byte) => `%${inAnyCase(byte)}`);
}

function unitsOf(text: string): string[] {
  return text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

function inAnyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
