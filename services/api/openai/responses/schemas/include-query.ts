import { z } from '@hono/zod-openapi';
import { includesState } from '#core/turn/responses/output-item.ts';
import type { Turn } from '#core/turn/turn.ts';

const values = z.union([z.string(), z.array(z.string())]).optional();

/** `include` as OpenAI's clients write it: once, or as a list in brackets. */
export const includeQuery = {
  include: values.describe(
    '`reasoning.encrypted_content`, or outputs of hosted calls, such as `code_interpreter_call.outputs`. Other values are accepted without effect.',
  ),
  'include[]': values.describe('The same as `include`, in the form in which clients write a list.'),
};

/** Returns whether a query requests the state of providers. */
export function asksForState(query: IncludeQuery): boolean {
  return includesState(valuesOf(query));
}

/** Returns a turn that shows the outputs of hosted calls that a query includes. */
export function withOutputs(turn: Turn, query: IncludeQuery): Turn {
  return { ...turn, shownOutputs: valuesOf(query) };
}

function valuesOf(query: IncludeQuery): string[] {
  return [query.include ?? [], query['include[]'] ?? []].flat();
}

type IncludeQuery = { include?: Values; 'include[]'?: Values };
type Values = z.output<typeof values>;

/** A flag of a query. */
export const queryFlag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ type: 'boolean' });
