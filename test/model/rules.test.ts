import { expect, test } from 'vitest';
import { citations, says } from './citations.ts';
import type { GuardWords } from './guards/guard.ts';
import { type RuleName, rules } from './rules.ts';
import { suites } from './suites.ts';

const guards: [string, GuardWords][] = Object.values(suites).flatMap((suite) => Object.entries(suite.guards));
const coded = guards.flatMap(([name, guard]) => ('code' in guard ? [{ name, ...guard }] : []));
const ruleNames = Object.keys(rules) as RuleName[];

test('exactly the files that the table lists for a rule name that rule', () => {
  const expected = ruleNames.flatMap((name) => rules[name].files.map((file) => `${name} ${file}`));

  expect(citations(), 'name the rule in a comment of the file, `(R5)`, or correct test/model/rules.ts').toEqual(
    expected.sort(),
  );
});

test('the architecture lists the same rules in the same words', () => {
  const items = ruleNames.map((name) => `- **${name}** ${rules[name].says}`);
  const missing = ruleNames.filter((_, index) => {
    const [item = '', next = ''] = items.slice(index, index + 2);
    return !says('docs/architecture.md', `${item} ${next}`.trim());
  });

  expect(missing, 'the same list in docs/architecture.md and in test/model/rules.ts').toEqual([]);
});

test('every rule has a mutant that breaks it', () => {
  const guarded = new Set(guards.map(([, { rule }]) => rule));

  expect(ruleNames.filter((name) => !guarded.has(name))).toEqual([]);
});

test.each(coded)('the code of guard $name is in the file that the model names', ({ rule, shared, ...guard }) => {
  const files: string[] = rules[rule].files;

  expect(files).toContain(guard.file);
  for (const { file, code } of [guard, shared ?? guard]) {
    const gone = `${file} no longer says "${code}": find the guard in the code and change it in test/model/ too`;
    expect(says(file, code), gone).toBe(true);
  }
});
