import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { SCHEMA_BOUNDS } from '../../bounds/schema-bounds.ts';
import { checkInProcess } from './check-in-process.ts';
import { compileOnce, SchemaRefused } from './compile-schema.ts';
import { isLightSchema } from './light-schema.ts';

/** The source of new schemas: its project, and the characters of schemas that this process may still compile for it. */
export type SchemaSource = { project: string; lightLength: number };

/** Returns the source for a request of a project before its first schema. */
export function schemaSource(project: string): SchemaSource {
  return { project, lightLength: SCHEMA_BOUNDS.lightLength };
}

type JsonSchema = Record<string, unknown>;

const REFUSED_FOR_MS = 60_000;

/** The outcome for each schema, by a digest of its text: the reason for the refusal, or null for a usable schema. */
const outcomes = new LRUCache<string, { failure: SchemaRefused | null }>({ max: 5_000 });

/**
 * Throws `SchemaRefused` for an unusable schema, and again within a minute by its digest. Caches no compiled schema.
 */
export async function requireUsable(schema: JsonSchema, source: SchemaSource): Promise<void> {
  const text = JSON.stringify(schema);
  const digest = createHash('sha256').update(text).digest('base64');
  const { failure } = outcomes.get(digest) ?? (await learnOutcome(schema, text, source));
  outcomes.set(digest, { failure }, failure ? { ttl: REFUSED_FOR_MS } : {});
  if (failure) throw failure;
}

async function learnOutcome(schema: JsonSchema, text: string, source: SchemaSource) {
  const mayHere = text.length <= source.lightLength && isLightSchema(text);
  if (mayHere) source.lightLength -= text.length;
  const reason = mayHere ? reasonHere(schema) : await reasonOfThread(text, source.project);
  return { failure: reason === USABLE ? null : new SchemaRefused(reason) };
}

const USABLE = '';

function reasonHere(schema: JsonSchema): string {
  try {
    compileOnce(schema);
    return USABLE;
  } catch (error) {
    if (error instanceof SchemaRefused) return error.message;
    throw error;
  }
}

async function reasonOfThread(schema: string, project: string): Promise<string> {
  const answer = await checkInProcess({ project, schema });
  switch (answer.kind) {
    case 'usable':
    case 'checked':
      return USABLE;
    case 'refused':
      return answer.reason;
    case 'out-of-time':
    case 'out-of-memory':
      return 'the schema takes too much time or memory to compile, make it smaller';
  }
}
