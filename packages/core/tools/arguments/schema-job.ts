import { LRUCache } from 'lru-cache';
import { SCHEMA_BOUNDS } from '../../bounds/schema-bounds.ts';
import { parseJson } from '../../json.ts';
import { compileOnce, compileSchema, SchemaRefused } from './compile-schema.ts';
import { type Bound, OutOfTime, withinCpu } from './stop-after.ts';
import { type Violations, violationsOf } from './violation.ts';

/** A schema to compile, as JSON, and a value to check. Without a value the schema is compiled and not cached. */
export type SchemaJob = { project: string; schema: string; value?: string };

export type SchemaAnswer =
  | { kind: 'checked'; violations: Violations }
  | { kind: 'usable' }
  | { kind: 'refused'; reason: string }
  | { kind: 'out-of-time' };

process.on('message', (job: SchemaJob) => void process.send?.(answer(job)));

const MINUTE_MS = 60_000;

/** The number of timeouts in the last minute, by project and schema. */
const timeouts = new LRUCache<string, number>({ max: 500, ttl: MINUTE_MS });

function answer({ project, schema, value }: SchemaJob): SchemaAnswer {
  try {
    if (value === undefined) {
      compileOnce(JSON.parse(schema), compiling);
      return { kind: 'usable' };
    }
    const check = compileSchema(JSON.parse(schema), compiling);
    return { kind: 'checked', violations: violationsOf(parseJson(value), check, checking(`${project} ${schema}`)) };
  } catch (error) {
    if (error instanceof SchemaRefused) return { kind: 'refused', reason: error.message };
    if (error instanceof OutOfTime) return { kind: 'out-of-time' };
    throw error;
  }
}

function compiling<Value>(work: () => Value): Value {
  try {
    return withinCpu(SCHEMA_BOUNDS.compileCpuMs, work);
  } catch (error) {
    throw error instanceof OutOfTime
      ? new SchemaRefused('the schema takes too long to compile, make it smaller')
      : error;
  }
}

function checking(key: string): Bound {
  return (work) => {
    const times = timeouts.get(key) ?? 0;
    try {
      return withinCpu(Math.max(SCHEMA_BOUNDS.leastCheckCpuMs, SCHEMA_BOUNDS.checkCpuMs >> times), work);
    } catch (error) {
      if (error instanceof OutOfTime) timeouts.set(key, times + 1);
      throw error;
    }
  };
}
