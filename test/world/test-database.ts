import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createDatabase } from './create-database.ts';

/** A migrated database of one test's own; it goes away with the server at the end of the run. */
export async function createTestDatabase(): Promise<string> {
  return createDatabase(inject('postgresUrl'), `test_${randomBytes(6).toString('hex')}`, 'pawl_template');
}
