import { expect, test } from 'vitest';
import { printSbom } from '#build/print-sbom.ts';

type Bom = { bomFormat: string; components: { name: string }[] };

test('the SBOM lists the production packages as CycloneDX', () => {
  const { bomFormat, components } = JSON.parse(printSbom()) as Bom;
  const names = components.map(({ name }) => name);

  expect(bomFormat).toBe('CycloneDX');
  expect(names).toEqual(expect.arrayContaining(['bullmq', 'hono', 'postgres', 'zod']));
  expect(names).not.toContain('vitest');
});
