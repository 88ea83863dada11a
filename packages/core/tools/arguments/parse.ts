import type { ErrorObject } from 'ajv';
import { isRecord, parseJson } from '../../json.ts';
import type { ToolError } from '../../turn/tool-result.ts';
import { cleanError } from '../clean.ts';
import { compileSchema, SchemaRefused } from './compile-schema.ts';
import { OutOfTime, type TimeBudget, timeBudget } from './time-budget.ts';

/** A call's arguments, ready to run with, or the error that says to the model what to correct. */
export type ParsedArguments = { ok: true; value: Record<string, unknown> } | { ok: false; error: ToolError };

const SHOWN_VIOLATIONS = 20;
const DEPTH_LIMIT = 100;

/** Milliseconds for the check of a call that shares no budget. */
const CHECKS_LIMIT_MS = 500;

/**
 * Parses the model's JSON text and checks it against the tool's schema, in a time budget that calls of a project may
 * share. Empty text means no arguments. Never throws.
 */
export function parseArguments(
  text: string,
  schema: Record<string, unknown>,
  budget: TimeBudget = timeBudget(CHECKS_LIMIT_MS),
): ParsedArguments {
  const value = parseJson(text.trim() || '{}');
  if (!isRecord(value)) return refused('Send the arguments as one JSON object.');

  const unsafe = findUnsafe(value);
  if (unsafe) return refused(`The arguments cannot be used: ${unsafe}`);

  const bound = canHang(JSON.stringify(schema), text) ? budget : unbounded;
  const violations = violationsOf(value, schema, bound);
  return violations.length === 0 ? { ok: true, value } : refusedFor(violations);
}

const unbounded: TimeBudget = (work) => work();

/** A key that could reach a prototype when the object is copied, or nesting too deep to walk. */
function findUnsafe(value: unknown, path = '', depth = 0): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth > DEPTH_LIMIT) return `${path}: is nested more than ${DEPTH_LIMIT} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    const here = path ? `${path}.${key}` : key;
    if (key === '__proto__' || (key === 'constructor' && isRecord(inner) && Object.hasOwn(inner, 'prototype'))) {
      return `${here}: is not a name for a property`;
    }
    const unsafe = findUnsafe(inner, here, depth + 1);
    if (unsafe) return unsafe;
  }
  return null;
}

function violationsOf(value: unknown, schema: Record<string, unknown>, budget: TimeBudget): Violation[] {
  try {
    const check = compileSchema(schema);
    return (budget(() => check(value)) ?? []).map((error: ErrorObject) => describeViolation(error));
  } catch (error) {
    if (error instanceof OutOfTime)
      return [{ path: 'arguments', message: 'took too long to check; send shorter values' }];
    if (error instanceof SchemaRefused) return [{ path: 'schema', message: `cannot be used: ${error.message}` }];
    if (error instanceof RangeError) return [{ path: 'arguments', message: 'are nested too deep for the schema' }];
    throw error;
  }
}

function refusedFor(violations: Violation[]): ParsedArguments {
  const shown = violations.slice(0, SHOWN_VIOLATIONS);
  const sentences = shown.map(({ path, message }) => `${path}: ${message}`);
  const more = violations.length > shown.length ? [`and ${violations.length - shown.length} more`] : [];
  const details = Object.fromEntries(shown.map(({ path, message }) => [path, message]));
  return refused(`The arguments do not fit the tool. ${[...sentences, ...more].join('; ')}`, details);
}

function refused(message: string, details: Record<string, unknown> = {}): ParsedArguments {
  return { ok: false, error: cleanError('invalid_arguments', message, details) };
}

/** Where arguments break their schema, as `a.b[0]`, and what the schema requires there. */
type Violation = { path: string; message: string };

const LISTED_VALUES = 20;

/** Names the property that is wrong, not the object around it. */
function describeViolation({ keyword, instancePath, params, message }: ErrorObject): Violation {
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
