import { expect, test } from 'vitest';
import { scanExports } from './scan-exports.ts';
import { scanImports } from './scan-imports.ts';

test('scanImports finds every form of import', () => {
  const source = `
    import './effects.ts';
    import whole, { a, type B } from './names.ts';
    import * as all from "./all.ts";
    import type { C } from './type.ts';
    import {
      d,
    } from './lines.ts';
    export { e } from './handed-on.ts';
    export type * from './types.ts';
    const late = await import('./late.ts');
    type F = import('./inline.ts').F;
    const unknown = import(name);
  `;

  const scanned = scanImports(source);

  expect(scanned.map(({ name }) => name)).toEqual([
    ...['./effects.ts', './names.ts', './all.ts', './type.ts', './lines.ts', './handed-on.ts', './types.ts'],
    ...['./late.ts', './inline.ts', null],
  ]);
  expect(scanned.filter(({ isType }) => isType).map(({ name }) => name)).toEqual(['./type.ts', './types.ts']);
});

test('scanImports ignores text that only looks like an import', () => {
  const source = [
    `// import a from './comment.ts';`,
    `/* import('./block.ts') */`,
    `const text = "import b from './text.ts'";`,
    `const template = \`import c from "./template.ts"; \${call(\`import("./inner.ts")\`, { d: 1 })} import("./after.ts")\`;`,
    `const pattern = /[/'"]import\\('.\\/pattern.ts'\\)/g;`,
    `const half = total / 2; const other = "/import('./division.ts')";`,
    `client.import('./method.ts'); import.meta.resolve('./meta.ts');`,
    `const from = 'import';`,
  ].join('\n');

  expect(scanImports(source)).toEqual([]);
});

test('scanImports finds an import inside a template', () => {
  const source = `const url = \`at \${await import('./inside.ts')} and \${1}\`; import './behind.ts';`;

  expect(scanImports(source).map(({ name }) => name)).toEqual(['./inside.ts', './behind.ts']);
});

test('scanExports finds exports by name, and detects a barrel', () => {
  const source = `
    export async function saveRound() {}
    export const timing = {};
    export type NewRound = {};
    export default class Failure {}
    const text = 'export const quoted = 1';
  `;

  expect(scanExports(source)).toEqual({ names: ['saveRound', 'timing', 'NewRound', 'Failure'], handsOn: false });
  expect(scanExports("export { a } from './a.ts';").handsOn).toBe(true);
  expect(scanExports("export * from './a.ts';").handsOn).toBe(true);
});
