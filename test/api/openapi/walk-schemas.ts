import type { Schema } from './document.ts';

const NO_SCHEMAS = new Set(['examples', 'example', 'enum', 'default']);

type Visit = (schema: Schema, place: string[]) => void;

/** Visits every part of the document with its path. Skips values that are examples. */
export function walkSchemas(node: unknown, visit: Visit, place: string[] = []): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node as Schema, place);
  for (const [key, value] of Object.entries(node)) {
    if (!NO_SCHEMAS.has(key)) walkSchemas(value, visit, [...place, key]);
  }
}
