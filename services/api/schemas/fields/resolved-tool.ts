import { z } from 'zod';
import { fillTool, GivenTool } from '#core/turn/request/tool.ts';
import { exampleOf } from './example-of.ts';

const { name, execution, retry, expires_in_seconds, rate_limit, status_text, ...fields } = GivenTool.shape;
const tries = retry.unwrap().unwrap().shape;

/** A tool as resources show it; `fillTool` makes it. */
export const ResolvedTool = z
  .object({
    type: z.literal('function').describe('Tools are functions.'),
    name,
    description: withDefault(fields.description),
    parameters: withDefault(fields.parameters),
    execution: orNull(execution),
    effect: withDefault(fields.effect),
    timeout_ms: withDefault(fields.timeout_ms),
    retry: z
      .object({ max_attempts: withDefault(tries.max_attempts), backoff_ms: withDefault(tries.backoff_ms) })
      .describe(retry.description ?? ''),
    approval: withDefault(fields.approval),
    expires_in_seconds: orNull(expires_in_seconds),
    cache_ttl_seconds: withDefault(fields.cache_ttl_seconds),
    rate_limit: orNull(rate_limit),
    capabilities: withDefault(fields.capabilities),
    status_text: orNull(status_text),
  })
  .meta({
    id: 'ResolvedTool',
    description: 'A tool with every default filled in.',
    examples: [fillTool(GivenTool.parse(exampleOf(GivenTool)))],
  });

/** Returns the schema of a field that is null if it has no value. */
function orNull<Field extends z.ZodType>(field: z.ZodOptional<z.ZodNullable<Field>>): z.ZodNullable<Field> {
  return field.unwrap().describe(field.description ?? '');
}

/** Returns the schema of a field that is neither left out nor null. */
function withDefault<Field extends z.ZodType>(field: z.ZodOptional<z.ZodNullable<Field>>): Field {
  const given = field.unwrap().unwrap();
  return given.describe(field.description ?? '');
}
