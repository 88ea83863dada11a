import { readdirSync } from 'node:fs';

/** The names of all migrations, in their order. */
export const MIGRATION_NAMES: string[] = readdirSync(new URL('../../../migrations/', import.meta.url))
  .map((file) => file.replace('.sql', ''))
  .toSorted();
