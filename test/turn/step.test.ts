import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIRST_STEP, nameStep, readStep, stepAfter, stepIndex } from '#core/turn/step.ts';

test('a round is followed by its batch, and a batch by the next round', () => {
  const names = ['r1', 'b1', 'r2', 'b2', 'r3'];

  expect(names.slice(0, -1).map(stepAfter)).toEqual(names.slice(1));
  expect(names.map((name) => stepIndex(readStep(name)) - stepIndex(readStep(FIRST_STEP)))).toEqual([0, 1, 2, 3, 4]);
});

test.for(['r1', 'b1', 'r12', 'b1000'])('the step %s is read as written', (name) => {
  const { kind, round } = readStep(name);

  expect(nameStep(kind, round)).toBe(name);
});

test('only step.ts and the checkpoint SQL read or write step names', () => {
  const root = new URL('../../', import.meta.url).pathname;
  const files = ['packages/core', 'services', 'bench']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith('.ts') && path !== 'packages/core/turn/step.ts');
  const spelt = /'[rb]1'|`[rb]\$\{|\bstep\.(?:slice|startsWith|charAt|at)\(|\bstep\[0\]/;

  const spelling = files.flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    return lines.filter((line) => spelt.test(line)).map((line) => `${path}: ${line.trim()}`);
  });

  expect(spelling.filter((line) => !isSql(line))).toEqual([]);
});

function isSql(line: string): boolean {
  return /^packages\/core\/checkpoint\/.*\bstep = 'r1'|^bench\/fill\/.*'[rb]1'/.test(line);
}
