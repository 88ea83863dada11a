import type { ErrorObject } from 'ajv';
import { compileSchema, SchemaRefused } from './compile-schema.ts';
import { OutOfTime, type TimeBudget } from './time-budget.ts';

/** Where a value breaks its schema, as the steps from its root, and what the schema requires there. */
export type SchemaViolation = { steps: string[]; message: string };

/**
 * What a value breaks of a schema, in a time budget where `text`, the JSON that it was read from, could keep the check busy.
 * Never throws for what the value or the schema is.
 */
export function findViolations(
  value: unknown,
  schema: Record<string, unknown>,
  { text, budget }: { text: string; budget: TimeBudget },
): SchemaViolation[] {
  const bound = canHang(JSON.stringify(schema), text) ? budget : unbounded;
  try {
    const check = compileSchema(schema);
    return (bound(() => check(value)) ?? []).map((error: ErrorObject) => describeViolation(error));
  } catch (error) {
    if (error instanceof OutOfTime) return [{ steps: [], message: 'took too long to check; send shorter values' }];
    if (error instanceof SchemaRefused) return [{ steps: ['schema'], message: `cannot be used: ${error.message}` }];
    if (error instanceof RangeError) return [{ steps: [], message: 'are nested too deep for the schema' }];
    throw error;
  }
}

const unbounded: TimeBudget = (work) => work();

const LISTED_VALUES = 20;

/** Names the property that is wrong, not the object around it. */
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
  const steps = instancePath.split('/').slice(1).map(unescapeStep);
  return name === undefined ? steps : [...steps, String(name)];
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function listed(values: unknown): string {
  const all = Array.isArray(values) ? values : [];
  const shown = all.slice(0, LISTED_VALUES).map((value) => JSON.stringify(value));
  return all.length > shown.length ? `${shown.join(', ')} …` : shown.join(', ');
}

/** Keywords that take more than one walk over the value: patterns, references in circles, all pairs of a list. */
const SLOW_KEYWORDS = /"(?:pattern|patternProperties|format|\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)":/;

/** Characters of a schema times characters of a value that one walk compares in about a millisecond. */
const QUICK_PRODUCT = 4_000_000;

/**
 * Whether checking a value against a schema, both as JSON text, could block the process and needs a time limit. A limit
 * costs a thread: a hundred times the check of an ordinary call.
 */
export function canHang(schema: string, value: string): boolean {
  return SLOW_KEYWORDS.test(schema) || schema.length * value.length > QUICK_PRODUCT;
}
