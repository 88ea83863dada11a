import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { drawTrace } from '../../docs/diagrams/draw-trace.ts';

test('the drawing of a trace is generated from its spans', () => {
  const drawn = drawTrace();

  const kept = readFileSync(new URL('../../docs/diagrams/trace.svg', import.meta.url), 'utf8');
  expect(kept, 'run `node docs/diagrams/draw-trace.ts`').toBe(drawn);
});
