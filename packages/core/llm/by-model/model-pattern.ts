import { z } from 'zod';
import { Misconfigured } from '../../failure.ts';
import { parseJsonSetting } from '../../json-setting.ts';

/** The name of a model as `provider/model`, or a prefix of such names followed by `*`. */
const ModelPattern = z
  .string()
  .regex(/^([A-Za-z0-9_-]+\/[^*]+|[^*]*\*)$/, 'name the model as provider/model, with * only as its last character');

export function isModelMeant(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern;
}

/** A setting that has a value for each pattern. `fieldsAt` lists the known fields at a path. */
type Setting<Value> = {
  variable: string;
  text: string | undefined;
  value: z.ZodType<Value>;
  example: string;
  fieldsAt?: (path: PropertyKey[]) => string | undefined;
};

/** Reads the values of a setting by the patterns. A `Misconfigured` names the path of a wrong value. */
export function readByPattern<Value>(setting: Setting<Value>): Record<string, Value> {
  const { variable, text, value, example, fieldsAt } = setting;
  if (!text?.trim()) return {};
  const list = z.record(ModelPattern, value, `give JSON such as ${example}`);
  const { data, error } = list.safeParse(parseJsonSetting(variable, text, `Give JSON such as ${example}.`));
  if (data) return data;
  const [issue] = error.issues;
  const path = [variable, ...(issue?.path ?? [])];
  const fields = issue?.code === 'unrecognized_keys' ? fieldsAt?.(issue.path) : undefined;
  if (issue?.code === 'unrecognized_keys' && fields) {
    throw new Misconfigured(`${[...path, issue.keys[0]].join('.')}: unknown field, give ${fields}`);
  }
  const sentence = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
  throw new Misconfigured(`${path.join('.')}: ${sentence}`);
}

/** Returns the patterns of providers that are not configured, which are probably misspelt. */
export function unusedPatterns(patterns: readonly string[], providers: readonly string[]): string[] {
  return patterns.filter((name) => name.includes('/') && !providers.includes(name.slice(0, name.indexOf('/'))));
}
