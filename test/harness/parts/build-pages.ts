import { buildPages as build } from '#inspector/build.ts';

/** Builds the pages once, before the test files run. Each API of a test serves these pages. */
export default async function buildPages(): Promise<void> {
  await build();
}
