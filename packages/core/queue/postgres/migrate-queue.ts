import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
  SchemaVersionMismatchError,
} from 'bullmq';
import { Misconfigured } from '../../failure.ts';
import { patchPublishEvent } from '../bullmq/patch-publish-event.ts';
import { openPool } from './open-pool.ts';

/** Updates BullMQ's own schema durably, so that the caller need not check it again. */
export async function migrateQueue(url: string): Promise<void> {
  const pool = openPool(url, { max: 1, durability: 'on' });
  const client = await pool.connect();
  try {
    await runMigrations(client as never);
    await patchPublishEvent(client);
  } catch (error) {
    throw explain(error);
  } finally {
    client.release();
    await pool.end();
  }
}

/** Refuses a database if its queue is neither of this version nor of a newer version that works with it. */
export async function requireQueueMigrated(url: string): Promise<void> {
  const pool = openPool(url, { max: 1, durability: 'off' });
  try {
    const version = await assertSchemaCompatibility(pool as never);
    if (version < LATEST_SCHEMA_VERSION) throw new Misconfigured(LACKS_QUEUE);
  } catch (error) {
    throw explain(error);
  } finally {
    await pool.end();
  }
}

function explain(error: unknown): unknown {
  if (error instanceof SchemaMigrationRequiredError) return new Misconfigured(LACKS_QUEUE);
  return error instanceof SchemaVersionMismatchError ? new Misconfigured(NEWER_QUEUE) : error;
}

const LACKS_QUEUE = 'The database lacks tables of its queue (schema bullmq). Run `npm run migrate` first.';

const NEWER_QUEUE =
  'The queue in the database (schema bullmq) was created by a newer version of Pawl. Use that version, or set REDIS_URL.';
