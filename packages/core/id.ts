import { randomUUIDv7 } from 'node:crypto';

type IdPrefix = 'conv' | 'turn' | 'evt' | 'dlv' | 'whe' | 'wrk';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A fresh TypeID (`turn_01k…`): the prefix and a UUIDv7 in Crockford base32, so that ids sort by time. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${base32(randomUUIDv7())}`;
}

/** Whether a text could be an id of this kind. One that could not is answered like one that does not exist. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return new RegExp(`^${prefix}_[0-7][${ALPHABET}]{25}$`).test(text);
}

/** All pairs of digits, by their ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31));

/** Five hexadecimal digits are two pairs of these: 35 of them are 28 digits, of which the first two are zeros. */
function base32(uuid: string): string {
  const hex = uuid.replaceAll('-', '').padStart(35, '0');
  let text = '';
  for (let index = 0; index < 35; index += 5) {
    const bits = Number.parseInt(hex.slice(index, index + 5), 16);
    text += `${PAIRS[bits >> 10]}${PAIRS[bits & 1023]}`;
  }
  return text.slice(-26);
}
