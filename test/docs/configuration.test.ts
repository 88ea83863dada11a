import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configurationPage } from './configuration-page.ts';

test('docs/configuration.md lists the settings of the product', () => {
  const kept = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

  expect(kept, 'run `node test/docs/configuration-page.ts`').toBe(configurationPage());
});
