import { expect, test } from 'vitest';
import { isOwnLabel, labelledTool, nameOfLabelled, offeredName } from '#core/turn/request/labelled-tool.ts';

test.each([
  ['weather', { kind: 'server' as const }, { serverLabel: 'pawl', name: 'weather' }],
  ['post', { kind: 'http' as const, url: 'https://example.com', headers: {} }, { serverLabel: 'http', name: 'post' }],
  ['locate', { kind: 'client' as const }, { serverLabel: 'client', name: 'locate' }],
  ['invented', null, { serverLabel: 'pawl', name: 'invented' }],
  ['docs__find', { kind: 'mcp' as const, server: 'docs' }, { serverLabel: 'docs', name: 'find' }],
  ['docs__docs__find', { kind: 'mcp' as const, server: 'docs' }, { serverLabel: 'docs', name: 'docs__find' }],
])('%s has a label and a name, which give the name for the model', (name, execution, labelled) => {
  expect(labelledTool({ name, execution })).toEqual(labelled);
  expect(nameOfLabelled(labelled)).toBe(name);
  expect(isOwnLabel(labelled.serverLabel)).toBe(labelled.serverLabel !== 'docs');
});

test('a renamed tool of an MCP server keeps its original name under its label', () => {
  const execution = { kind: 'mcp' as const, server: 'docs' };
  const labelled = { serverLabel: 'docs', name: 'find/all' };
  const name = nameOfLabelled(labelled);

  expect(name).toMatch(/^docs__find_all_[0-9a-f]{8}$/);
  expect(labelledTool({ name, execution, remoteName: 'find/all' })).toEqual(labelled);
});

test('a valid tool name is offered unchanged, and all names stay distinct', () => {
  const names = [
    'find',
    'find_all',
    'find.all',
    'find/all',
    'find all',
    'FIND',
    '日本',
    '本日',
    'x'.repeat(200),
    'x'.repeat(201),
  ];
  const offered = names.map((name) => offeredName('docs', name));

  expect(offered.slice(0, 2)).toEqual(['docs__find', 'docs__find_all']);
  expect(new Set(offered).size).toBe(names.length);
  expect(offered.filter((name) => !/^docs__[a-zA-Z0-9_-]{1,58}$/.test(name))).toEqual([]);
});

test('an unknown label and its tool get a name that providers accept', () => {
  expect(offeredName('Deep Wiki '.repeat(20), 'ask.question')).toMatch(/^[a-zA-Z0-9_-]{64}$/);
});
