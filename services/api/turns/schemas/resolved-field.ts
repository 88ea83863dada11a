import type { z } from 'zod';

type GivenField<Schema extends z.ZodType> = z.ZodOptional<z.ZodNullable<Schema>>;

/** Returns the schema of a request field in resources, for a field with a default. */
export function resolvedField<Schema extends z.ZodType>(field: GivenField<Schema>): Schema {
  const given = field.unwrap().unwrap();
  return given.describe(field.description ?? '');
}

/** Returns the schema of a request field in resources, for a field that is null by default. */
export function resolvedOrNull<Schema extends z.ZodType>(field: GivenField<Schema>): z.ZodNullable<Schema> {
  return field.unwrap().describe(field.description ?? '');
}
