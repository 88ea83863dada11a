import type { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { foreignFieldAdvice } from '../../../http/fields/foreign-fields.ts';
import { explainIssues, renderPath } from '../../../http/issues.ts';

type Issue = z.core.$ZodIssue;

/** Marks the problem of a field of OpenAI's API that Pawl does not support, in the schema of a create request. */
export const UNSUPPORTED = { params: { code: 'unsupported_parameter' } } as const;

/**
 * Returns the first problem of a create request, with the codes that OpenAI's clients know. `base` is the path of the
 * parsed value. An unsupported field has priority, because it can explain why other fields are missing.
 */
export function explainResponseIssues(
  issues: Issue[],
  base: PropertyKey[] = [],
  kind: 'response' | 'completion' = 'response',
): RequestRefused {
  const placed = issues.map((issue) => ({ ...issue, path: [...base, ...issue.path] }));
  const unsupported = placed.find(isUnsupported);
  if (unsupported) return unsupportedField(renderPath(unsupported.path));
  const refusal = explainIssues(placed, (param) => foreignFieldAdvice(kind, param));
  const { code, message, param } = refusal;
  if (code === 'unknown_field') return new RequestRefused(400, 'unknown_parameter', message, param);
  if (code === 'missing_field') return new RequestRefused(400, 'missing_required_parameter', message, param);
  return refusal;
}

/** Does the same for a Chat Completions request. */
export function explainCompletionIssues(issues: Issue[]): RequestRefused {
  return explainResponseIssues(issues, [], 'completion');
}

function isUnsupported(issue: Issue): boolean {
  return issue.code === 'custom' && issue.params?.code === UNSUPPORTED.params.code;
}

function unsupportedField(param: string): RequestRefused {
  const message = `\`${param}\` is not supported here. Leave it out.`;
  return new RequestRefused(400, 'unsupported_parameter', message, param);
}

/** Reads a value of a create request by its schema. Refuses an invalid value with its path. */
export function readValue<Schema extends z.ZodType>(schema: Schema, value: unknown, path: PropertyKey[]) {
  const { data, error } = schema.safeParse(value);
  if (error) throw explainResponseIssues(error.issues, path);
  return data as z.output<Schema>;
}
