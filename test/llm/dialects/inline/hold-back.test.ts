import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endText, parseMarkers, startHoldBack, takeText } from '#core/llm/dialects/inline/hold-back.ts';
import { watchUsedCpu } from '#test/harness/watch-stalls.ts';

/** Returns the text that a watcher sees after each piece and at the end, and the calls. */
function watch(pieces: string[]): { shown: string[]; calls: unknown[] } {
  const holding = startHoldBack();
  let text = '';
  const shown = pieces.map((piece) => {
    text += takeText(holding, piece);
    return text;
  });
  return { shown: [...shown, text + endText(holding)], calls: holding.calls };
}

const words = fc.constantFrom(
  ...['Hello', ' ', '\n', '\n\n', '`', '```', '\n```\n', '[', ']', '{', '}', '"', '\\', ':', 'é👋', '- ', '[link](x)'],
  ...['[TOOL_CALL:', '[TOOL_CALL: f', '[TOOL_CALL: f]', '[TOOL_CALL: f {"a":"]"}]', '[TOOL_CALL: f {"a":', '"}]', '}]'],
);
const text = fc.array(words, { maxLength: 40 }).map((parts) => parts.join(''));
const cuts = fc.array(fc.nat(400), { maxLength: 30 });

function cutAt(whole: string, places: number[]): string[] {
  const sorted = [0, ...places.toSorted((a, b) => a - b), whole.length];
  return sorted.slice(1).map((place, index) => whole.slice(sorted[index], place));
}

test('the deltas of any split of a stream join to the stored text', () => {
  fc.assert(
    fc.property(text, cuts, (whole, places) => {
      const { shown, calls } = watch(cutAt(whole, places));

      const parsed = parseMarkers(whole);
      expect(shown.at(-1)).toBe(parsed.text ?? '');
      expect(calls).toEqual(parsed.calls);
    }),
    { numRuns: 2_000 },
  );
});

test('text that was shown is never removed', () => {
  fc.assert(
    fc.property(text, cuts, (whole, places) => {
      const { shown } = watch(cutAt(whole, places));

      for (const [index, before] of shown.slice(0, -1).entries())
        expect(shown[index + 1]?.startsWith(before)).toBe(true);
    }),
  );
});

test('no part of a marker is shown, even character by character', () => {
  const { shown } = watch([...'Let me look. [TOOL_CALL: get_weather {"city": "[Tokyo]"}] One moment.']);

  for (const each of shown) expect('Let me look. One moment.').toContain(each);
  expect(shown.at(-1)).toBe('Let me look. One moment.');
});

test.each([
  ['markers within strings that are never closed', '[TOOL_CALL: t {"\\"'.repeat(6_500)],
  ['markers that are all abandoned at once', `${'[TOOL_CALL: t {"\\"'.repeat(60_000)}"[TOOL_CALL:`],
  [
    'backticks in ever longer runs',
    Array.from({ length: 1_000 }, (_, run) => `${'`'.repeat(run + 1)}[TOOL_CALL: t]`).join(''),
  ],
  ['white space before many markers', '\n'.repeat(500_000) + '[TOOL_CALL: t]'.repeat(30_000)],
  ['a marker without an end', `[TOOL_CALL: t {"${'a'.repeat(1_000_000)}`],
  ['brackets', '['.repeat(1_000_000)],
])('a text of %s takes linear time', (_, whole) => {
  const usedMs = watchUsedCpu();

  const { shown } = watch([whole]);

  // The first text took more than ten seconds before.
  expect(usedMs()).toBeLessThan(4_000);
  expect(shown.at(-1)!.length).toBeLessThanOrEqual(whole.length);
});

test('a text held back too long is shown, and later markers are calls', () => {
  const { shown, calls } = watch(['[TOOL_CALL: t {"', 'a'.repeat(300_000), ' [TOOL_CALL: f]']);

  expect(shown[1]!.length).toBeGreaterThan(200_000);
  expect(calls).toEqual([{ name: 'f', arguments: '{}' }]);
});

test('text that cannot become a marker is shown at once', () => {
  const { shown } = watch(['A ', 'list [', 'TOOL', 'S] and ', '[TOOL_CALL', ': f', ']', ' more']);

  expect(shown).toEqual([
    'A',
    'A list',
    'A list',
    'A list [TOOLS] and',
    'A list [TOOLS] and',
    'A list [TOOLS] and',
    'A list [TOOLS] and',
    'A list [TOOLS] and more',
    'A list [TOOLS] and more',
  ]);
});

test('a marker that may be quoted is held back until the end of its line', () => {
  const quoted = watch(['Write `', '[TOOL_CALL: f]', '`', ' so']);
  const called = watch(['Don`t ', '[TOOL_CALL: f]', '\n', 'so']);

  expect(quoted.shown).toEqual([
    'Write `',
    'Write `',
    'Write `',
    'Write `[TOOL_CALL: f]` so',
    'Write `[TOOL_CALL: f]` so',
  ]);
  expect(quoted.calls).toEqual([]);
  expect(called.shown).toEqual(['Don`t', 'Don`t', 'Don`t', 'Don`t\nso', 'Don`t\nso']);
  expect(called.calls).toHaveLength(1);
});
