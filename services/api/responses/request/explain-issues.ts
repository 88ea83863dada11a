import type { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { foreignFieldAdvice } from '../../http/fields/foreign-fields.ts';
import { explainIssues } from '../../http/issues.ts';

type Issue = z.core.$ZodIssue;

/**
 * The first problem of a create request, in the codes that OpenAI's clients know; `base` is the path of the value that was
 * parsed.
 */
export function explainResponseIssues(issues: Issue[], base: PropertyKey[] = []): RequestRefused {
  const placed = issues.map((issue) => ({ ...issue, path: [...base, ...issue.path] }));
  const refusal = explainIssues(placed, (param) => foreignFieldAdvice('response', param));
  const { code, message, param } = refusal;
  if (code === 'unknown_field') return new RequestRefused(400, 'unknown_parameter', message, param);
  if (code === 'missing_field') return new RequestRefused(400, 'missing_required_parameter', message, param);
  return refusal;
}

/** Reads a value of a create request by its schema; what does not fit is refused with its path. */
export function readValue<Schema extends z.ZodType>(schema: Schema, value: unknown, path: PropertyKey[]) {
  const { data, error } = schema.safeParse(value);
  if (error) throw explainResponseIssues(error.issues, path);
  return data as z.output<Schema>;
}
