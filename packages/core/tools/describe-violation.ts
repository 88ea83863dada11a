import type { ErrorObject } from 'ajv';

/** One place where arguments break their schema, as `a.b[0]`, and what the schema wants there. */
export type Violation = { path: string; message: string };

const LISTED_VALUES = 20;

/** Tells a violation by the property it is about, not by the object around it. */
export function describeViolation({ keyword, instancePath, params, message }: ErrorObject): Violation {
  const at = (name?: unknown) => pathOf(instancePath, name);
  if (keyword === 'required' || keyword === 'dependentRequired') {
    return { path: at(params.missingProperty), message: 'is required' };
  }
  if (keyword === 'additionalProperties') {
    return { path: at(params.additionalProperty), message: 'is not a known property' };
  }
  if (keyword === 'unevaluatedProperties') {
    return { path: at(params.unevaluatedProperty), message: 'is not a known property' };
  }
  if (keyword === 'enum') return { path: at(), message: `must be one of ${listed(params.allowedValues)}` };
  if (keyword === 'const') return { path: at(), message: `must be ${JSON.stringify(params.allowedValue)}` };
  return { path: at(), message: message ?? `breaks ${keyword}` };
}

function pathOf(instancePath: string, name: unknown): string {
  const steps = instancePath.split('/').slice(1).map(unescapeStep);
  if (name !== undefined) steps.push(String(name));
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return path.replace(/^\./, '') || 'arguments';
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function listed(values: unknown): string {
  const all = Array.isArray(values) ? values : [];
  const shown = all.slice(0, LISTED_VALUES).map((value) => JSON.stringify(value));
  return all.length > shown.length ? `${shown.join(', ')} …` : shown.join(', ');
}
