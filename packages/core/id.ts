import { randomUUIDv7 } from 'node:crypto';

type IdPrefix = 'conv' | 'turn' | 'evt' | 'dlv' | 'whe' | 'wrk' | 'req' | 'bulk' | 'sched' | 'batch' | 'agent';

/** Returns the lowest id that is possible at a moment, in ms since 1970. All earlier ids are lower. */
export function firstIdAt(prefix: IdPrefix, atMs: number): string {
  const ms = Math.min(Math.max(Math.floor(atMs), 0), 2 ** 48 - 1);
  return `${prefix}_${base32(ms.toString(16).padStart(12, '0').padEnd(32, '0'))}`;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns a fresh TypeID (`turn_01k…`): the prefix and a UUIDv7 in Crockford base32, so that ids sort by time. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${base32(randomUUIDv7())}`;
}

/** Returns a fresh id of a file (`file-01k…`). OpenAI's API writes these ids with a hyphen. */
export function newFileId(): string {
  return `file-${base32(randomUUIDv7())}`;
}

/** The number of last characters that an id shares with the ids beside it. */
const SHARED = 4;

/**
 * Returns a fresh id with the end of another id, so that the same key places a conversation with its turns. 54 bits
 * are random.
 */
export function newIdBeside(prefix: IdPrefix, neighbour: string): string {
  return newId(prefix).slice(0, -SHARED) + neighbour.slice(-SHARED);
}

/** Returns whether a text could be an id of this kind. The API answers other texts like ids that do not exist. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return new RegExp(`^${prefix}_[0-7][${ALPHABET}]{25}$`).test(text);
}

export function isFileId(text: string): boolean {
  return new RegExp(`^file-[0-7][${ALPHABET}]{25}$`).test(text);
}

/** All pairs of digits, by their ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31));

const HYPHEN = 45;
const DIGIT_ZERO = 48;
const LETTER_A = 97;

/** Returns the 128 bits of a UUID in 13 pairs of digits, which have 130 bits and begin with two zeros. */
function base32(uuid: string): string {
  let text = '';
  let bits = 0;
  let count = 2;
  for (let index = 0; index < uuid.length; index += 1) {
    const code = uuid.charCodeAt(index);
    if (code === HYPHEN) continue;
    bits = (bits << 4) | (code < LETTER_A ? code - DIGIT_ZERO : code - LETTER_A + 10);
    count += 4;
    if (count < 10) continue;
    count -= 10;
    text += PAIRS[(bits >> count) & 1023];
  }
  return text;
}
