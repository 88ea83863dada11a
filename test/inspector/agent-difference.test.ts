import { expect, test } from 'vitest';
import { configDifference } from '#inspector/agents/config-difference.ts';
import { lineDifference } from '#inspector/agents/line-difference.ts';
import type { Agent } from '#inspector/base/turn.ts';

type Config = Agent['config'];

const marks = { equal: ' ', removed: '-', added: '+' };

function diff(before: string, after: string): string[] {
  return lineDifference(before, after).map(({ kind, text }) => marks[kind] + text);
}

test('the difference of two texts has the fewest changed lines', () => {
  expect(diff('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toEqual([' a', '-b', '+x', ' c', ' d', '+e']);
  expect(diff('a\nb\na', 'b\na\na')).toEqual(['-a', ' b', '+a', ' a']);
  expect(diff('', 'a\n')).toEqual(['+a', '+']);
  expect(diff('a', '')).toEqual(['-a']);
  expect(diff('a\na', 'a')).toEqual([' a', '-a']);
});

test('the difference of two large texts shows all lines as removed, then as added', () => {
  const [before, after] = ['a', 'b'].map((letter) => Array(5_000).fill(letter).join('\n'));

  const lines = diff(before!, after!);

  expect(lines).toEqual([...Array(5_000).fill('-a'), ...Array(5_000).fill('+b')]);
});

test('the difference of two versions has each field, and tools by their names', () => {
  const look = { name: 'look_up', description: 'Looks up', parameters: { type: 'object' } };
  const changed = { parameters: { type: 'object' }, name: 'look_up', description: 'Finds' };
  const before: Config = {
    model: 'openai/test',
    temperature: 0,
    limits: { max_rounds: 3 },
    tools: ['note_visit', look],
  };
  const after: Config = {
    ...{ model: 'openai/test', instructions: 'Be brief.', limits: { max_rounds: 4 } },
    tools: [changed, { type: 'web_search' }],
  };

  const found = configDifference(before, after);

  expect(found.map(({ name, before: old, after: now }) => [name, old === null, now === null])).toEqual([
    ['temperature', false, true],
    ['limits', false, false],
    ['tool note_visit', false, true],
    ['tool look_up', false, false],
    ['instructions', true, false],
    ['tool web_search (run by the provider)', true, false],
  ]);
});

test('the order of tools is a difference of two versions if only the order differs', () => {
  const order = (tools: string[]) => configDifference({ tools: ['a', 'b'] }, { tools });

  expect(order(['b', 'a'])).toEqual([{ name: 'order of tools', before: 'a\nb', after: 'b\na' }]);
  expect(order(['a', 'b'])).toEqual([]);
  expect(order(['a', 'c']).map(({ name }) => name)).toEqual(['tool b', 'tool c']);
});
