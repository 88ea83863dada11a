import { isRecord } from '../../json.ts';
import { mendSchema, withoutDeadReferences } from '../../json-schema/mend-schema.ts';
import { listOf, mapParts, recordOf, type Schema } from '../../json-schema/parts.ts';
import { portablePattern } from '../../json-schema/patterns.ts';
import { flattenTop } from './flatten-top.ts';
import { rememberSchemas } from './remember-schemas.ts';

/** Renders a tool schema for the Messages API, without alternatives at the top. Pawl checks the complete schema. */
export const anthropicToolSchema = rememberSchemas((schema) => everywhere(flattenTop(mendSchema(schema)), portable));

/**
 * Renders a tool schema for Chat Completions without `strict`: without alternatives at the top. Every object lists
 * its properties, and every list has one schema for its items.
 */
export const openaiToolSchema = rememberSchemas((schema) =>
  everywhere(flattenTop(mendSchema(schema)), (part) => whole(portable(part))),
);

/** Changes all parts of a schema. Then it removes references to parts that no longer exist. */
function everywhere(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const visit = (part: Schema): Schema => change(mapParts(part, visit));
  return withoutDeadReferences(visit(schema));
}

/** Removes patterns that a validator in another language cannot read. */
function portable(schema: Schema): Schema {
  if (schema.pattern === undefined && schema.patternProperties === undefined) return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]): Entry[] => {
    if (keyword === 'pattern' && typeof value === 'string')
      return entryFor(portablePattern(value), (own) => [keyword, own]);
    if (keyword !== 'patternProperties') return [[keyword, value]];
    const named = Object.entries(recordOf(value)).flatMap(([pattern, part]) =>
      entryFor(portablePattern(pattern), (own) => [own, part]),
    );
    return named.length > 0 ? [[keyword, Object.fromEntries(named)]] : [];
  });
  return Object.fromEntries(entries);
}

type Entry = [string, unknown];

function entryFor(pattern: string | null, make: (pattern: string) => Entry): Entry[] {
  return pattern === null ? [] : [make(pattern)];
}

function whole(schema: Schema): Schema {
  const types = [schema.type].flat();
  const named = types.includes('object') && schema.properties === undefined ? { ...schema, properties: {} } : schema;
  const isList = types.includes('array') || named.prefixItems !== undefined || named.items !== undefined;
  return isList ? withItems(named) : named;
}

/** Replaces a tuple by a list of any of its items. */
function withItems({ prefixItems, ...schema }: Schema): Schema {
  const { items } = schema;
  if (prefixItems === undefined) return isRecord(items) ? schema : { ...schema, items: {} };
  const choices = [...listOf(prefixItems), ...(isRecord(items) ? [items] : [])].map((item) =>
    isRecord(item) ? item : {},
  );
  const only = choices.length === 1 ? choices[0] : { anyOf: choices };
  return { ...schema, items: only };
}
