import { z } from 'zod';
import { fillTool, GivenTool } from '#core/turn/request/tool.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { resolvedField, resolvedOrNull } from './resolved-field.ts';

const { name, execution, retry, expires_in_seconds, rate_limit, status_text, ...fields } = GivenTool.shape;
const tries = retry.unwrap().unwrap().shape;

/** A tool as resources show it, made by `fillTool`. */
export const ResolvedTool = z
  .object({
    type: z.literal('function').describe('Tools are functions.'),
    name,
    description: resolvedField(fields.description),
    parameters: resolvedField(fields.parameters),
    execution: resolvedOrNull(execution),
    effect: resolvedField(fields.effect),
    timeout_ms: resolvedField(fields.timeout_ms),
    retry: z
      .object({ max_attempts: resolvedField(tries.max_attempts), backoff_ms: resolvedField(tries.backoff_ms) })
      .describe(retry.description ?? ''),
    approval: resolvedField(fields.approval),
    expires_in_seconds: resolvedOrNull(expires_in_seconds),
    cache_ttl_seconds: resolvedField(fields.cache_ttl_seconds),
    rate_limit: resolvedOrNull(rate_limit),
    capabilities: resolvedField(fields.capabilities),
    status_text: resolvedOrNull(status_text),
  })
  .meta({
    id: 'ResolvedTool',
    description: 'A tool with every default filled in.',
    examples: [fillTool(GivenTool.parse(exampleOf(GivenTool)))],
  });
