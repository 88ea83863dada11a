import { expect, test } from 'vitest';
import { type Line, readLine } from '#cli/chat/read-line.ts';

const asked: [string, Line][] = [
  ['y', { kind: 'allow' }],
  [' Yes ', { kind: 'allow' }],
  ['{"city": "Oslo"}', { kind: 'allow', arguments: { city: 'Oslo' } }],
  ['n', { kind: 'deny', reason: undefined }],
  ['no, too far', { kind: 'deny', reason: 'too far' }],
  ['N Too far.', { kind: 'deny', reason: 'Too far.' }],
  ['now look at Oslo', { kind: 'text', text: 'now look at Oslo' }],
  ['yesterday it rained', { kind: 'text', text: 'yesterday it rained' }],
  ['e', { kind: 'edit' }],
];

test.each(asked)('after a question about a call, “%s” is read as an answer, or else as a text', (line, read) => {
  expect(readLine(line, { isAsked: true })).toEqual(read);
});

const said: [string, Line][] = [
  ['y', { kind: 'text', text: 'y' }],
  ['{"sim": {}}', { kind: 'text', text: '{"sim": {}}' }],
  ['   ', { kind: 'nothing' }],
  ['/wait  And in Rome? ', { kind: 'wait', text: 'And in Rome?' }],
  ['/stop', { kind: 'stop', text: undefined }],
  ['/stop Not Rome, Oslo!', { kind: 'stop', text: 'Not Rome, Oslo!' }],
  ['/output 22 °C', { kind: 'output', output: '22 °C' }],
  ['/output {"celsius": 22}', { kind: 'output', output: { celsius: 22 } }],
  ['/exit', { kind: 'quit' }],
  [' /etc/hosts is a file', { kind: 'text', text: '/etc/hosts is a file' }],
];

test.each(said)('without a question “%s” is read as a text or a command', (line, read) => {
  expect(readLine(line, { isAsked: false })).toEqual(read);
});

test.each(['/wait', '/output', '/dance'])('%s alone is answered with the text to type instead', (line) => {
  expect(readLine(line, { isAsked: false }).kind).toBe('misused');
});
