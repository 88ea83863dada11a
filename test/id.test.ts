import { expect, test } from 'vitest';
import { isId, newId, newIdBeside } from '#core/id.ts';
import { msAgo } from '#test/harness/moments.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns the UUID of a TypeID. */
function uuidOf(id: string): string {
  const bits = [...id.slice(-26)].reduce((sum, digit) => sum * 32n + BigInt(ALPHABET.indexOf(digit)), 0n);
  return bits
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

test('an id is a TypeID: a UUIDv7 of the current time after its prefix', () => {
  const before = msAgo(0);
  const ids = Array.from({ length: 1_000 }, () => newId('turn'));
  const after = msAgo(0);

  for (const id of ids) {
    expect(isId('turn', id)).toBe(true);
    expect(uuidOf(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const bornAt = Number.parseInt(uuidOf(id).replace('-', '').slice(0, 12), 16);
    expect(bornAt).toBeGreaterThanOrEqual(before);
    expect(bornAt).toBeLessThanOrEqual(after);
  }
  expect(new Set(ids).size).toBe(ids.length);
});

test('an id beside another id has the same ending, and is its own TypeID', () => {
  const conversation = newId('conv');
  const ids = Array.from({ length: 1_000 }, () => newIdBeside('turn', conversation));

  for (const id of ids) {
    expect(isId('turn', id)).toBe(true);
    expect(id.slice(-4)).toBe(conversation.slice(-4));
    expect(uuidOf(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(new Set(ids).size).toBe(ids.length);
});
