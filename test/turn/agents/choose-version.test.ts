import { expect, test } from 'vitest';
import { chooseVersion } from '#core/turn/agents/choose-version.ts';

const conversations = Array.from({ length: 2_000 }, (_, index) => `conv_${index}`);
const shareOf = (versions: Record<string, number>, wanted: number) =>
  conversations.filter((id) => chooseVersion({ versions }, id) === wanted).length / conversations.length;

test('a label with one version names it for every conversation', () => {
  expect(new Set(conversations.map((id) => chooseVersion({ version: 7 }, id)))).toEqual(new Set([7]));
});

test('a label with weights gives each version its share of the conversations', () => {
  expect(shareOf({ '7': 90, '8': 10 }, 8)).toBeCloseTo(0.1, 1);
  expect(shareOf({ '7': 1, '8': 1, '9': 2 }, 9)).toBeCloseTo(0.5, 1);
  expect(shareOf({ '7': 1 }, 7)).toBe(1);
});

test('a label with weights names the same version for a conversation each time', () => {
  const label = { versions: { '7': 50, '8': 50 } };

  const once = conversations.map((id) => chooseVersion(label, id));
  const again = conversations.map((id) => chooseVersion(label, id));

  expect(new Set(once)).toEqual(new Set([7, 8]));
  expect(again).toEqual(once);
});

test('equal ratios of weights give a conversation the same version', () => {
  const inPercent = conversations.map((id) => chooseVersion({ versions: { '7': 90, '8': 10 } }, id));
  const inParts = conversations.map((id) => chooseVersion({ versions: { '7': 9, '8': 1 } }, id));

  expect(inParts).toEqual(inPercent);
});

test('a conversation keeps the new version while the weight of that version grows', () => {
  const newer = (weight: number) =>
    conversations.filter((id) => chooseVersion({ versions: { '7': 100 - weight, '8': weight } }, id) === 8);

  expect(newer(50)).toEqual(expect.arrayContaining(newer(10)));
});
