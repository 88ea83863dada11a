import { z } from '@hono/zod-openapi';
import { includesState } from '#core/turn/responses/output-item.ts';

const values = z.union([z.string(), z.array(z.string())]).optional();

/** `include` as OpenAI's clients write it: once, or as a list in brackets. */
export const includeQuery = {
  include: values.describe('`reasoning.encrypted_content`. Other values are accepted without effect.'),
  'include[]': values.describe('The same as `include`, in the form in which clients write a list.'),
};

/** Returns whether a query requests the state of providers. */
export function asksForState(query: { include?: Values; 'include[]'?: Values }): boolean {
  return includesState([query.include ?? [], query['include[]'] ?? []].flat());
}

type Values = z.output<typeof values>;

/** A flag of a query. */
export const queryFlag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ type: 'boolean' });
