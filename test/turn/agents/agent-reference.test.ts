import { expect, test } from 'vitest';
import { nameVersion, readAgentReference } from '#core/turn/agents/agent-reference.ts';

test('a reference names an agent, with a version, a label or neither', () => {
  expect(readAgentReference('support')).toEqual({ name: 'support', version: null, label: null });
  expect(readAgentReference('support@7')).toEqual({ name: 'support', version: 7, label: null });
  expect(readAgentReference('support@production')).toEqual({ name: 'support', version: null, label: 'production' });
  expect(readAgentReference(`a${'-'.repeat(63)}@b${'_'.repeat(31)}`)).not.toBeNull();
});

test.each([
  '',
  '@7',
  'support@',
  'Support',
  '7',
  'support@0',
  'support@07',
  'support@-1',
  'support@7a',
  'a@b@c',
  'a b',
])('the reference "%s" to an agent is not valid', (text) => {
  expect(readAgentReference(text)).toBeNull();
});

test('a reference with a name or a label that is too long is not valid', () => {
  expect(readAgentReference('a'.repeat(65))).toBeNull();
  expect(readAgentReference(`a@${'b'.repeat(33)}`)).toBeNull();
});

test('the text of a version of an agent is a reference to it', () => {
  expect(nameVersion({ name: 'support', version: 7 })).toBe('support@7');
});
