import { expect, test } from 'vitest';
import { isOwnLabel, labelledTool, nameOfLabelled } from '#core/turn/request/labelled-tool.ts';

test.each([
  ['weather', { kind: 'server' as const }, { serverLabel: 'pawl', name: 'weather' }],
  ['post', { kind: 'http' as const, url: 'https://example.com', headers: {} }, { serverLabel: 'http', name: 'post' }],
  ['locate', { kind: 'client' as const }, { serverLabel: 'client', name: 'locate' }],
  ['invented', null, { serverLabel: 'pawl', name: 'invented' }],
  ['docs__find', { kind: 'mcp' as const, server: 'docs' }, { serverLabel: 'docs', name: 'find' }],
  ['docs__docs__find', { kind: 'mcp' as const, server: 'docs' }, { serverLabel: 'docs', name: 'docs__find' }],
])('%s has a label and a name there, which give the name that the model knows', (name, execution, labelled) => {
  expect(labelledTool({ name, execution })).toEqual(labelled);
  expect(nameOfLabelled(labelled)).toBe(name);
  expect(isOwnLabel(labelled.serverLabel)).toBe(labelled.serverLabel !== 'docs');
});
