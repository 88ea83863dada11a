import { isRecord, parseJson } from '../../json.ts';
import type { RequestedCall } from '../../turn/message.ts';
import type { TurnTool } from '../../turn/request/tool.ts';
import type { ToolError } from '../../turn/tool-result.ts';
import { cleanError } from '../clean.ts';
import { findViolations } from './find-violations.ts';
import type { Violations } from './violation.ts';
import { describeViolations } from './violation.ts';

/** A call that may run: its tool is known and allowed, and its arguments are valid. */
export type CheckedCall = { tool: TurnTool; args: Record<string, unknown> };

/** The rules for a call: the turn's project, its tools and the allowed capabilities (null allows all). */
export type CallRules = {
  tools: readonly TurnTool[];
  allowedCapabilities: readonly string[] | null;
  project: string;
};

/** A checked call, or the reason why it may not run. */
export type PreparedCall = { ok: true; call: CheckedCall } | { ok: false; error: ToolError; steps?: string[] };

/** Checks a call by the turn's rules. `error` is the answer for the model. `steps` lead to the first problem. */
export async function prepareCall(
  requested: RequestedCall,
  { tools, allowedCapabilities, project }: CallRules,
): Promise<PreparedCall> {
  const tool = tools.find(({ name }) => name === requested.name);
  if (!tool) return { ok: false, error: unknownTool(requested.name, tools) };

  const denied = tool.capabilities.find((capability) => allowedCapabilities?.includes(capability) === false);
  if (denied) return { ok: false, error: deniedCapability(tool.name, denied) };

  const args = await parseArguments(requested.arguments, tool.parameters, project);
  if (!args.ok) return args;
  const operators = tool.operator?.parameters;
  const fitting = operators ? await parseArguments(requested.arguments, operators, project) : args;
  return fitting.ok ? { ok: true, call: { tool, args: args.value } } : fitting;
}

function unknownTool(name: string, tools: readonly TurnTool[]): ToolError {
  const known = tools.map((tool) => tool.name).join(', ') || 'none';
  return cleanError('resource_not_found', `There is no tool named ${JSON.stringify(name)}. Tools: ${known}.`);
}

function deniedCapability(name: string, capability: string): ToolError {
  return cleanError('permission_denied', `${name} needs the capability "${capability}", which is not allowed here.`);
}

/** The error for unusable arguments, with the correction for the model, and the steps to the first problem. */
type InvalidArguments = { ok: false; error: ToolError; steps: string[] };

/** The arguments of a call as an object, or their problem. */
type ParsedArguments = { ok: true; value: Record<string, unknown> } | InvalidArguments;

const DEPTH_LIMIT = 100;

/** Parses the model's JSON text and checks it by the tool's schema. An empty text means no arguments. Never fails. */
export async function parseArguments(
  given: string,
  schema: Record<string, unknown>,
  project: string,
): Promise<ParsedArguments> {
  const text = given.trim() || '{}';
  const value = parseJson(text);
  if (!isRecord(value)) return refused('Send the arguments as one JSON object.');

  const unsafe = findUnsafe(value);
  if (unsafe) return refused(`The arguments cannot be used: ${unsafe}`);

  const violations = await findViolations({ value, text, project }, schema);
  return violations.count === 0 ? { ok: true, value } : refusedFor(violations);
}

/** Finds a key that could reach a prototype when the object is copied, or nesting too deep to walk. */
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

function refusedFor(violations: Violations): ParsedArguments {
  const { sentence, details } = describeViolations(violations, 'arguments');
  const error = refused(`The arguments do not fit the tool. ${sentence}`, details);
  return { ...error, steps: violations.first[0]?.steps ?? [] };
}

function refused(message: string, details: Record<string, unknown> = {}): InvalidArguments {
  return { ok: false, error: cleanError('invalid_arguments', message, details), steps: [] };
}
