import { describe, expect, test } from 'vitest';
import { iso } from '#core/turn/resource/iso.ts';

describe('a shown time', () => {
  test.each([
    '2026-11-29 14:15:16.123456+00',
    '2026-11-29 14:15:16.123+00',
    '2026-11-29T14:15:16.123456+00:00',
    '2026-11-29T14:15:16.123Z',
  ])('has the milliseconds of the stored time %s', (stored) => {
    expect(iso(stored)).toBe('2026-11-29T14:15:16.123Z');
  });

  test.each([
    ['2026-11-29 14:15:16+00', '2026-11-29T14:15:16.000Z'],
    ['2026-11-29T14:15:16.1+00:00', '2026-11-29T14:15:16.100Z'],
    ['2026-11-29 16:15:16.123456+02', '2026-11-29T14:15:16.123Z'],
  ])('is in UTC with milliseconds if the stored time is %s', (stored, shown) => {
    expect(iso(stored)).toBe(shown);
  });

  test('is null if the stored time is null', () => {
    expect(iso(null)).toBeNull();
  });
});
