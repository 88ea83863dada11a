import type { ErrorObject } from 'ajv';
import type { ToolError } from '../turn/tool-result.ts';
import { canHang } from './can-hang.ts';
import { cleanError } from './clean-error.ts';
import { compileSchema, SchemaRefused } from './compile-schema.ts';
import { describeViolation, type Violation } from './describe-violation.ts';
import { type SharedTime, shareTime } from './share-time.ts';
import { OutOfTime } from './within-time.ts';

/** A call's arguments, ready to run with, or the answer that tells the model what to mend. */
export type ParsedArguments = { ok: true; value: Record<string, unknown> } | { ok: false; error: ToolError };

const SHOWN_VIOLATIONS = 20;
const DEPTH_LIMIT = 100;

/** What the check of a call that shares no time may take, in milliseconds. */
const CHECKS_LIMIT_MS = 500;

/**
 * Parses the model's JSON text (empty text is no arguments) and holds it against the tool's schema, in time that it may
 * share with others of its project. Never throws.
 */
export function parseArguments(
  text: string,
  schema: Record<string, unknown>,
  within: SharedTime = shareTime(CHECKS_LIMIT_MS),
): ParsedArguments {
  const value = parseJson(text.trim() || '{}');
  if (!isRecord(value)) return refused('Send the arguments as one JSON object.');

  const trap = findTrap(value);
  if (trap) return refused(`The arguments cannot be used: ${trap}`);

  const bound = canHang(JSON.stringify(schema), text) ? within : atOnce;
  const violations = violationsOf(value, schema, bound);
  return violations.length === 0 ? { ok: true, value } : refusedFor(violations);
}

const atOnce: SharedTime = (work) => work();

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keys that could reach a prototype when the object is copied, and nesting that breaks whoever walks it. */
function findTrap(value: unknown, path = '', depth = 0): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth > DEPTH_LIMIT) return `${path}: is nested more than ${DEPTH_LIMIT} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    const here = path ? `${path}.${key}` : key;
    if (key === '__proto__' || (key === 'constructor' && isRecord(inner) && Object.hasOwn(inner, 'prototype'))) {
      return `${here}: is not a name for a property`;
    }
    const trap = findTrap(inner, here, depth + 1);
    if (trap) return trap;
  }
  return null;
}

function violationsOf(value: unknown, schema: Record<string, unknown>, within: SharedTime): Violation[] {
  try {
    const check = compileSchema(schema);
    return (within(() => check(value)) ?? []).map((error: ErrorObject) => describeViolation(error));
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
