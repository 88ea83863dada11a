import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillLimits, limits } from '#core/turn/limits.ts';
import { reachedLimit } from '#core/turn/reached-limit.ts';
import { StandingConfig } from '#core/turn/request/turn.ts';
import { makeRound, makeTurn } from './make-turn.ts';

test('the limits and their defaults are those of the contract', () => {
  expect(fillLimits(undefined)).toEqual({
    ...{ max_rounds: 50, max_tool_calls: 200, max_total_tokens: null, max_cost_usd: null, deadline_seconds: null },
  });
});

test('a limit that is left out, or is null, has its default', () => {
  const filled = fillLimits({ max_rounds: 3, max_tool_calls: null, deadline_seconds: 60 });

  expect(filled).toMatchObject({ max_rounds: 3, max_tool_calls: 200, max_total_tokens: null, deadline_seconds: 60 });
});

test.for(limits)('a request gives $name within its bounds only', ({ name, min, max }) => {
  const takes = (value: number) => StandingConfig.safeParse({ limits: { [name]: value } }).success;

  if (min === null) expect([takes(0), takes(-1), takes(0.001), takes(5)]).toEqual([false, false, true, true]);
  else expect([takes(min - 1), takes(min), takes(min + 0.5)]).toEqual([false, true, false]);
  if (max !== null) expect([takes(max), takes(max + 1)]).toEqual([true, false]);
});

test('calls beyond their limit are the reason before anything else that was used up', () => {
  const own = { max_rounds: 1, max_tool_calls: 1 };
  const rounds = [makeRound(1, null, [{}, {}])];

  expect(reachedLimit(makeTurn({ limits: own, rounds }))).toBe('max_tool_calls');
  expect(reachedLimit(makeTurn({ limits: { ...own, max_tool_calls: 2 }, rounds }))).toBe('max_rounds');
});

test('the table in the docs has each limit as the list has it', () => {
  const page = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));

  expect(rows).toEqual(limits.map(rowOf));
});

function rowOf({ name, counts, byDefault, min, max, reason, after }: (typeof limits)[number]): string {
  const least = min === null ? 'above 0' : `from ${min}`;
  const bounds = max === null ? least : `${min ?? 0} to ${max.toLocaleString('en-US')}`;
  return `| \`${name}\` | ${counts} | ${byDefault ?? 'none'} | ${bounds} | \`${reason}\` | ${after} |`;
}
