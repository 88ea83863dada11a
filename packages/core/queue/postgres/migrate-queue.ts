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

/** Brings BullMQ's own schema up to date, durably: the caller goes on without checking it again. */
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

/** Refuses a database whose queue is not that of this version, or of a newer one that works with it. */
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
  'The queue in the database (schema bullmq) was made by a newer version of Pawl. Use that version, or set REDIS_URL.';
