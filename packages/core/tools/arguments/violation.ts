import type { ErrorObject } from 'ajv';
import { SCHEMA_BOUNDS } from '../../bounds/schema-bounds.ts';
import type { Validator } from './compile-schema.ts';
import type { Bound } from './stop-after.ts';

/** The path of a violation, as steps from the root of the value, and the requirement of the schema. */
export type SchemaViolation = { steps: string[]; message: string };

/** The first 20 violations and the count of all. `isUnchecked`: the check did not finish, or the schema is unusable. */
export type Violations = { first: SchemaViolation[]; count: number; isUnchecked?: true };

const SHOWN_VIOLATIONS = 20;

/** Checks a value by a compiled schema. Throws `OutOfTime` beyond the bound, and never because of the value. */
export function violationsOf(value: unknown, check: Validator, bound: Bound): Violations {
  try {
    const errors = bound(() => check(value)) ?? [];
    return { first: errors.slice(0, SHOWN_VIOLATIONS).map(describeViolation), count: errors.length };
  } catch (error) {
    if (error instanceof RangeError) return onlyViolation('are nested too deep for the schema');
    throw error;
  }
}

/** Returns the only violation of a value as a whole, or of its schema. */
export function onlyViolation(message: string, steps: string[] = []): Violations {
  return { first: [{ steps, message }], count: 1 };
}

const LISTED_VALUES = 20;

/** Names the wrong property, not the object around it. */
function describeViolation({ keyword, instancePath, params, message }: ErrorObject): SchemaViolation {
  const at = (name?: unknown) => stepsOf(instancePath, name);
  if (keyword === 'required' || keyword === 'dependentRequired') {
    return { steps: at(params.missingProperty), message: 'is required' };
  }
  if (keyword === 'additionalProperties') {
    return { steps: at(params.additionalProperty), message: 'is not a known property' };
  }
  if (keyword === 'unevaluatedProperties') {
    return { steps: at(params.unevaluatedProperty), message: 'is not a known property' };
  }
  if (keyword === 'enum') return { steps: at(), message: `must be one of ${listed(params.allowedValues)}` };
  if (keyword === 'const') return { steps: at(), message: `must be ${JSON.stringify(params.allowedValue)}` };
  return { steps: at(), message: message ?? `breaks ${keyword}` };
}

function stepsOf(instancePath: string, name: unknown): string[] {
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return name === undefined ? steps : [...steps, String(name)];
}

function listed(values: unknown): string {
  const all = Array.isArray(values) ? values : [];
  const shown = all.slice(0, LISTED_VALUES).map((value) => JSON.stringify(value));
  return all.length > shown.length ? `${shown.join(', ')} …` : shown.join(', ');
}

/** Keywords that walk over the value more than once: patterns, circular references, all pairs of a list. */
const SLOW_KEYWORDS = /"(?:pattern|patternProperties|format|\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)":/;

/**
 * Returns whether a check could block the process, by both JSON texts. A time limit costs as much as a hundred
 * checks.
 */
export function canHang(schema: string, value: string): boolean {
  return SLOW_KEYWORDS.test(schema) || schema.length * value.length > SCHEMA_BOUNDS.lightProduct;
}

/** Violations for the model: one sentence without its full stop, and the problem at each path. */
type DescribedViolations = { sentence: string; details: Record<string, string> };

/** Describes violations by their paths, such as `a.b[0]`. `whole` names the value itself. */
export function describeViolations({ first, count }: Violations, whole: string): DescribedViolations {
  const shown = first.map(({ steps, message }) => ({ path: pathOf(steps) || whole, message }));
  const sentences = shown.map(({ path, message }) => `${path}: ${message}`);
  const more = count > shown.length ? [`and ${count - shown.length} more`] : [];
  return {
    sentence: [...sentences, ...more].join('; '),
    details: Object.fromEntries(shown.map(({ path, message }) => [path, message])),
  };
}

function pathOf(steps: string[]): string {
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return path.replace(/^\./, '');
}
