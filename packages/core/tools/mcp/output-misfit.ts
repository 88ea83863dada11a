import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { findViolations } from '../arguments/find-violations.ts';
import { describeViolations } from '../arguments/violation.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { ToolListing } from './listing.ts';
import { structuredContentOf } from './tidy/tidy-result.ts';

/** The error for the model in place of a result that breaks the output schema of its tool. */
export type OutputMisfit = { message: string; details: Record<string, unknown> };

/** A tool by its name at its server, the server's list, and the project. `signal` ends the check. */
type OutputCheck = {
  tool: string;
  listing: Pick<ToolListing, 'list' | 'known'>;
  project: string;
  signal: AbortSignal;
};

/** The milliseconds for a server to list its tools before a check, and again after a misfit. */
const LIST_TIMEOUT_MS = 2_000;

/**
 * Returns the error for a result that breaks its output schema. Null if it fits, is an error, or has no known schema.
 * The server may have changed the schema, so it lists its tools again first. Unchecked after `signal`. Never rejects.
 */
export async function findMisfit(
  result: CallToolResult,
  { tool, listing, project, signal }: OutputCheck,
): Promise<OutputMisfit | null> {
  const list = () => unlessAborted(listing.list({ withinMs: LIST_TIMEOUT_MS }), signal);
  if (listing.known().tools.length === 0) await list();
  const known = listing.known().outputSchemas.get(tool);
  const misfit = await unlessAborted(misfitOf(result, known, project), signal);
  if (misfit === null) return null;
  await list();
  const listed = listing.known().outputSchemas.get(tool);
  return isDeepStrictEqual(listed, known) ? misfit : unlessAborted(misfitOf(result, listed, project), signal);
}

/** Checks a result by a schema. An unfinished check counts as passed, since the tool has run. */
async function misfitOf(
  result: CallToolResult,
  schema: Record<string, unknown> | undefined,
  project: string,
): Promise<OutputMisfit | null> {
  if (schema === undefined || result.isError) return null;
  const value = structuredContentOf(result);
  if (value === undefined) return misfit('Its structured content is missing');
  const violations = await findViolations({ value, text: JSON.stringify(value), project }, schema);
  if (violations.count === 0 || violations.isUnchecked) return null;
  const { sentence, details } = describeViolations(violations, 'structured content');
  return misfit(sentence, details);
}

function misfit(problem: string, details: Record<string, unknown> = {}): OutputMisfit {
  const ran = 'The tool ran, but its result does not fit its output schema.';
  return { message: `${ran} ${problem}. Do not rely on the result.`, details };
}
