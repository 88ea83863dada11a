import { randomUUIDv7 } from 'node:crypto';

type IdPrefix = 'conv' | 'turn' | 'evt' | 'dlv' | 'whe';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A fresh TypeID (`turn_01k…`): the prefix and a UUIDv7 in Crockford base32, so ids sort by time of birth. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${base32(randomUUIDv7())}`;
}

/** Whether a text could be an id of this kind at all; what could not is answered like what does not exist. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return new RegExp(`^${prefix}_[0-7][${ALPHABET}]{25}$`).test(text);
}

function base32(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let digit = 0; digit < 26; digit += 1) {
    text = ALPHABET[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}
