import { localizeReferences } from './localize-references.ts';
import { mapParts, type Schema } from './parts.ts';
import { pointerOf, stepInto, stepsOf } from './pointer.ts';

/** Returns whether a value of `$schema` names a supported draft: 4, 6, 7, 2019-09 or 2020-12. */
export function isKnownDraft($schema: unknown): boolean {
  return /^https?:\/\/json-schema\.org\/(?:schema|draft-0[467]\/(?:hyper-)?schema|draft\/20(?:19-09|20-12)\/schema)#?$/.test(
    String($schema),
  );
}

/** Translates a schema of an older draft into 2020-12. The result has no address, since its references are pointers. */
export function translateSchema(schema: Schema): Schema {
  const local = localizeReferences(schema);
  return translate(local, local);
}

function translate(schema: Schema, root: Schema): Schema {
  const { $schema: _, ...inner } = mapParts(schema, (part) => translate(part, root));
  return withReference(withBounds(withTuple(inner)), root);
}

/** Moves a list of schemas in `items` to `prefixItems`. */
function withTuple(schema: Schema): Schema {
  if (!Array.isArray(schema.items)) return schema;
  const { items: prefixItems, additionalItems: items, ...rest } = schema;
  if (prefixItems.length === 0) return items === undefined ? rest : { ...rest, items };
  return { ...rest, prefixItems, ...(items === undefined ? {} : { items }) };
}

/** Translates the booleans of draft 4 that make a bound exclusive. */
function withBounds(schema: Schema): Schema {
  const low = typeof schema.exclusiveMinimum === 'boolean' ? exclusive(schema, 'minimum', 'exclusiveMinimum') : schema;
  return typeof low.exclusiveMaximum === 'boolean' ? exclusive(low, 'maximum', 'exclusiveMaximum') : low;
}

function exclusive(schema: Schema, bound: string, keyword: string): Schema {
  const { [keyword]: isExclusive, ...inclusive } = schema;
  if (isExclusive !== true || typeof schema[bound] !== 'number') return inclusive;
  const { [bound]: value, ...rest } = inclusive;
  return { ...rest, [keyword]: value };
}

/** Moves pointers into tuples along with their items, and translates `$recursiveRef` of 2019-09. */
function withReference(schema: Schema, root: Schema): Schema {
  const { $recursiveRef, $recursiveAnchor: _, ...rest } = schema;
  const reference = rest.$ref ?? $recursiveRef;
  const steps = stepsOf(reference);
  if (steps === null) return rest;
  const moved = movedSteps(steps, root);
  return { ...rest, $ref: moved.join('/') === steps.join('/') ? reference : pointerOf(moved) };
}

function movedSteps(steps: string[], root: Schema): string[] {
  let at: unknown = root;
  return steps.map((step) => {
    const isTuple = Array.isArray(stepInto(at, 'items'));
    at = stepInto(at, step);
    if (isTuple && step === 'items') return 'prefixItems';
    return isTuple && step === 'additionalItems' ? 'items' : step;
  });
}
