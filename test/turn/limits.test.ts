import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillLimits, limits } from '#core/turn/limits.ts';
import { reachedLimit } from '#core/turn/reached-limit.ts';
import { StandingConfig } from '#core/turn/request/turn.ts';
import { makeRound, makeTurn } from './make-turn.ts';

test('the limits have these defaults', () => {
  expect(fillLimits(undefined)).toEqual({
    ...{ max_rounds: 50, max_tool_calls: 200, max_total_tokens: null, max_cost_usd: null, deadline_seconds: null },
  });
});

test('an omitted or null limit has its default', () => {
  const filled = fillLimits({ max_rounds: 3, max_tool_calls: null, deadline_seconds: 60 });

  expect(filled).toMatchObject({ max_rounds: 3, max_tool_calls: 200, max_total_tokens: null, deadline_seconds: 60 });
});

test.for(limits)('a request gives $name within its bounds only', ({ name, min, max }) => {
  const takes = (value: number) => StandingConfig.safeParse({ limits: { [name]: value } }).success;

  if (min === null) expect([takes(0), takes(-1), takes(0.001), takes(5)]).toEqual([false, false, true, true]);
  else expect([takes(min - 1), takes(min), takes(min + 0.5)]).toEqual([false, true, false]);
  if (max !== null) expect([takes(max), takes(max + 1)]).toEqual([true, false]);
});

test('the limit of tool calls takes precedence over other reached limits', () => {
  const own = { max_rounds: 1, max_tool_calls: 1 };
  const rounds = [makeRound(1, null, [{}, {}])];

  expect(reachedLimit(makeTurn({ limits: own, rounds }))).toBe('max_tool_calls');
  expect(reachedLimit(makeTurn({ limits: { ...own, max_tool_calls: 2 }, rounds }))).toBe('max_rounds');
});

test('the table in the docs lists each limit', () => {
  const page = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Limits of a turn\n');
  const own = section.split('\n## ', 1)[0]!;

  expect(own.match(/^\| `.*$/gm)).toEqual(limits.map(rowOf));
  const entries = own.match(/^- (?:.+\n)(?: {2}.+\n)*/gm) ?? [];
  expect(entries.map((entry) => entry.trim().replaceAll(/\s+/g, ' '))).toEqual(limits.map(entryOf));
});

function entryOf({ name, counts, after }: (typeof limits)[number]): string {
  return `- **\`${name}\`**: ${counts}. ${after}`;
}

function rowOf({ name, byDefault, min, max, reason }: (typeof limits)[number]): string {
  const least = min === null ? 'above 0' : `from ${min}`;
  const bounds = max === null ? least : `${min ?? 0} to ${max.toLocaleString('en-US')}`;
  return `| \`${name}\` | ${byDefault ?? 'none'} | ${bounds} | \`${reason}\` |`;
}
