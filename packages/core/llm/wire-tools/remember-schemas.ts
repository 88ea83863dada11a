import { LRUCache } from 'lru-cache';
import type { Schema } from '../../json-schema/parts.ts';

/** Remembers the outcome for each schema, by its object and its text, since each round sends the same tools. */
export function rememberSchemas<Outcome extends object>(
  make: (schema: Schema) => Outcome,
): (schema: Schema) => Outcome {
  const byObject = new WeakMap<Schema, Outcome>();
  const byText = new LRUCache<string, Outcome>({
    max: 500,
    maxSize: 1024 * 1024,
    sizeCalculation: (_, text) => text.length,
  });
  return (schema) => {
    const known = byObject.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema);
    const made = byText.get(text);
    if (made) return made;
    const outcome = make(schema);
    byText.set(text, outcome);
    byObject.set(schema, outcome);
    return outcome;
  };
}
