import { expect, test } from 'vitest';
import { admissionGuards } from './admission/admission-guards.ts';
import { approvalGuards } from './approvals/approval-guards.ts';
import { bulkGuards } from './bulks/bulk-guards.ts';
import { citations, says } from './citations.ts';
import { compactionGuards } from './compactions/compaction-guards.ts';
import { delayGuards } from './delays/delay-guards.ts';
import { editionGuards } from './editions/edition-guards.ts';
import { expiryGuards } from './expiry/expiry-guards.ts';
import { fallbackGuards } from './fallback/fallback-guards.ts';
import { forkGuards } from './forks/fork-guards.ts';
import { guardNames } from './guards/all-guards.ts';
import type { GuardWords } from './guards/guard.ts';
import { inputGuards } from './inputs/input-guards.ts';
import { leanGuards } from './lean/lean-guards.ts';
import { lineGuards } from './lines/line-guards.ts';
import { rerunGuards } from './reruns/rerun-guards.ts';
import { type RuleName, rules } from './rules.ts';
import { scheduleGuards } from './schedules/schedule-guards.ts';
import { tierGuards } from './tiers/tier-guards.ts';
import { usageGuards } from './usage/usage-guards.ts';

const small = {
  ...editionGuards,
  ...fallbackGuards,
  ...tierGuards,
  ...lineGuards,
  ...compactionGuards,
  ...admissionGuards,
  ...expiryGuards,
  ...usageGuards,
  ...bulkGuards,
  ...inputGuards,
  ...delayGuards,
  ...scheduleGuards,
  ...approvalGuards,
  ...forkGuards,
  ...rerunGuards,
  ...leanGuards,
};
const guards: [string, GuardWords][] = [...guardNames, ...Object.entries(small)];
const coded = guards.flatMap(([name, guard]) => ('code' in guard ? [{ name, ...guard }] : []));
const ruleNames = Object.keys(rules) as RuleName[];

test('the files that name a rule are those the table says keep it', () => {
  const expected = ruleNames.flatMap((name) => rules[name].files.map((file) => `${name} ${file}`));

  expect(citations(), 'name the rule in a comment of the file, `(R5)`, or correct test/model/rules.ts').toEqual(
    expected.sort(),
  );
});

test('the architecture lists the same rules in the same words', () => {
  const missing = ruleNames.filter((name) => !says('docs/architecture.md', `| ${name} ${rules[name].says} |`));

  expect(missing, 'one sentence for each rule, in docs/architecture.md and in test/model/rules.ts').toEqual([]);
});

test('every rule has a mutant that breaks it', () => {
  const guarded = new Set(guards.map(([, { rule }]) => rule));

  expect(ruleNames.filter((name) => !guarded.has(name))).toEqual([]);
});

test.each(coded)('the code has the guard $name where the model says', ({ rule, shared, ...guard }) => {
  const files: string[] = rules[rule].files;

  expect(files).toContain(guard.file);
  for (const { file, code } of [guard, shared ?? guard]) {
    const gone = `${file} no longer says "${code}": find out what became of the guard, then change it in test/model/ too`;
    expect(says(file, code), gone).toBe(true);
  }
});
