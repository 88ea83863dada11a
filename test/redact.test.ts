import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeRedact } from '#core/redact.ts';
import { watchUsedCpu } from '#test/harness/watch-stalls.ts';

const SECRET = 'gh/p_1+"Zürich\\ 9&';

/** All spellings in which a secret must be redacted. */
const SPELLINGS: Record<string, (text: string) => string> = {
  plain: (text) => text,
  'in JSON': json,
  'in JSON within JSON': (text) => json(json(text)),
  'in JSON that escapes slashes': (text) => json(text).replaceAll('/', '\\/'),
  'in JSON of ASCII alone': (text) => text.replace(/[^a-z0-9]/gi, unicodeEscape),
  'in a URL': (text) => encodeURIComponent(text),
  'in a form': (text) => new URLSearchParams({ text }).toString().slice('text='.length),
  'in a URL with small hex digits': (text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase()),
  'in base64': (text) => Buffer.from(text).toString('base64').replace(/.?=+$/, ''),
  'in base64 of URLs': (text) => Buffer.from(text).toString('base64url').slice(0, -1),
};

test.each(Object.entries(SPELLINGS))('a secret written %s is redacted', (_name, spell) => {
  const redact = makeRedact([SECRET]);

  expect(redact(`before ${spell(SECRET)}. after`)).toMatch(/^before \[redacted\].{0,2}\. after$/);
});

test.each([0, 1, 2, 3, 4])('a secret %i bytes into a base64 text is redacted', (offset) => {
  const redact = makeRedact([SECRET]);
  const encoded = Buffer.from(`${'u'.repeat(offset)}${SECRET}:and more`).toString('base64');

  const redacted = redact(encoded);

  expect(redacted).toContain('[redacted]');
  expect(Buffer.from(redacted.replace('[redacted]', ''), 'base64').toString()).not.toMatch(/rich/);
});

test('the longer of two secrets is redacted whole if the shorter is its start', () => {
  const redact = makeRedact(['key-123', 'key-123-and-more']);

  expect(redact('key-123-and-more key-123')).toBe('[redacted] [redacted]');
});

test('a text without a secret stays unchanged', () => {
  const texts = fc.string({ unit: 'binary' });
  const [redact, redactNothing] = [makeRedact(['no-such-secret']), makeRedact([])];

  fc.assert(fc.property(texts, (text) => redact(text) === text && redactNothing(text) === text));
});

test('every secret is redacted in every spelling and at every position', () => {
  const secret = fc.string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 40 });
  const places = fc.array(fc.record({ which: fc.nat(), spelling: fc.constantFrom(...Object.keys(SPELLINGS)) }));
  const texts = fc.record({
    secrets: fc.array(secret, { minLength: 1, maxLength: 8 }),
    places,
    between: fc.string(),
  });

  fc.assert(
    fc.property(texts, ({ secrets, places, between }) => {
      const spelled = places.map(({ which, spelling }) => SPELLINGS[spelling]?.(secrets[which % secrets.length] ?? ''));

      const redacted = makeRedact(secrets)(spelled.join(between));

      const left = secrets.flatMap((one) =>
        ['plain', 'in JSON', 'in a URL', 'in base64'].map((way) => SPELLINGS[way]?.(one)),
      );
      for (const spelling of left) expect(redacted.replaceAll('[redacted]', '\n')).not.toContain(spelling);
    }),
    { numRuns: 500 },
  );
});

test('megabytes of text that resembles secrets are redacted within seconds', () => {
  const redact = makeRedact(Array.from({ length: 50 }, (_, index) => `sk-proj-${index}-\\\\"/+`.padEnd(60, 'x')));
  const texts = ['sk-proj-', '\\', '/', 'abcdefgh', '%2'].map((text) => text.repeat(500_000));

  const usedMs = watchUsedCpu();
  for (const text of texts) redact(text);

  expect(usedMs()).toBeLessThan(5_000);
});

function json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
