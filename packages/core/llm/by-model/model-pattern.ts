import { z } from 'zod';

/** The name of a model as `provider/model`, or the beginning of such names with a `*` after it. */
export const ModelPattern = z
  .string()
  .regex(/^([A-Za-z0-9_-]+\/[^*]+|[^*]*\*)$/, 'name the model as provider/model; only its last character may be *');

/** Returns whether a pattern means a model. */
export function isMeant(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern;
}
