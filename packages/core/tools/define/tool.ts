import { z } from 'zod';
import { Failure, Misconfigured } from '../../failure.ts';
import { isRecord } from '../../json.ts';
import type { Part } from '../../turn/request/item.ts';
import { Tool, type ToolEffect } from '../../turn/request/tool.ts';
import { TOOL_ERROR_CATEGORIES, type ToolErrorCategory } from '../../turn/tool-result.ts';

/** `signal` aborts with the attempt. `idempotencyKey` is the same for every attempt of a call. */
export type ToolContext = {
  signal: AbortSignal;
  idempotencyKey: string;
  turnId: string;
  progress(value: unknown): void;
};

/** A server-side tool: its definition for the model and the rules, and its function, which parses the arguments. */
export type ServerTool = {
  readonly definition: Tool;
  /** The stack of its definition, for the file and line. */
  readonly definedAt?: string | undefined;
  run(args: unknown, context: ToolContext): Promise<unknown>;
};

/** The options of a tool. Defaults: `at_most_once`, 30 s for each attempt, 3 attempts, 500 ms backoff. */
export type ToolOptions<Input extends z.ZodObject, Output extends z.ZodType> = {
  name: string;
  description: string;
  input: Input;
  output?: Output;
  effect?: ToolEffect;
  timeoutMs?: number;
  retry?: { maxAttempts?: number; backoffMs?: number };
  approval?: 'never' | 'always';
  expiresInSeconds?: number;
  cacheTtlSeconds?: number;
  rateLimit?: { max: number; perSeconds: number };
  capabilities?: Tool['capabilities'];
  statusText?: string;
  execute(
    input: z.output<Input>,
    context: ToolContext,
  ): Promise<z.input<Output> | PartsResult> | z.input<Output> | PartsResult;
};

/** A result with more than text, from `parts`. */
export type PartsResult = { readonly parts: readonly Part[] };

const partsResults = new WeakSet<object>();

/** Returns the result of a tool that answers with images, files or audio: the same objects as in a user's message. */
export function parts(list: readonly Part[]): PartsResult {
  const result = { parts: [...list] };
  partsResults.add(result);
  return result;
}

export function isPartsResult(value: unknown): value is PartsResult {
  return typeof value === 'object' && value !== null && partsResults.has(value);
}

/** An error that a tool throws to explain a failure to the model. An unknown category becomes `unknown`. */
export class ToolFailed extends Failure {
  readonly category: ToolErrorCategory;
  readonly details: Record<string, unknown>;

  constructor(category: ToolErrorCategory, message: string, details: Record<string, unknown> = {}) {
    const known = TOOL_ERROR_CATEGORIES.find((one) => one === category) ?? 'unknown';
    super(known, message);
    this.category = known;
    this.details = details;
  }
}

/**
 * Makes a server-side tool, typed from its zod input. Throws `Misconfigured` if an option is missing, unknown or
 * invalid.
 */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodType = z.ZodUnknown>(
  options: ToolOptions<Input, Output>,
): ServerTool {
  refuseWrongShape(options);
  refuseUnknownOptions(options);
  return {
    definition: definitionOf(options),
    definedAt: new Error().stack,
    async run(args, context) {
      const input = await parseInput(options.input, args);
      const output = await options.execute(input, context);
      return options.output && !isPartsResult(output) ? parseOutput(options.output, output) : output;
    },
  };
}

function definitionOf<Input extends z.ZodObject, Output extends z.ZodType>(options: ToolOptions<Input, Output>): Tool {
  const definition = Tool.safeParse({
    name: options.name,
    description: options.description,
    parameters: schemaOf(options.name, options.input),
    execution: { kind: 'server' },
    effect: options.effect,
    timeout_ms: options.timeoutMs,
    retry: options.retry && { max_attempts: options.retry.maxAttempts, backoff_ms: options.retry.backoffMs },
    approval: options.approval,
    expires_in_seconds: options.expiresInSeconds,
    cache_ttl_seconds: options.cacheTtlSeconds,
    rate_limit: options.rateLimit && { max: options.rateLimit.max, per_seconds: options.rateLimit.perSeconds },
    capabilities: options.capabilities,
    status_text: options.statusText,
  });
  if (!definition.success) throw new Misconfigured(`Tool "${options.name}": ${violations(definition.error)}`);
  return definition.data;
}

function schemaOf(name: string, input: z.ZodObject): Record<string, unknown> {
  try {
    const { $schema, ...schema } = z.toJSONSchema(input, { io: 'input' });
    return schema;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Misconfigured(
      `Tool "${name}": input cannot be converted to a JSON Schema (${reason}). Use types that JSON supports.`,
    );
  }
}

async function parseInput<Input extends z.ZodObject>(schema: Input, args: unknown): Promise<z.output<Input>> {
  const input = await schema.safeParseAsync(args);
  if (input.success) return input.data;
  throw new ToolFailed('invalid_arguments', `The arguments do not fit the tool: ${violations(input.error)}`);
}

async function parseOutput<Output extends z.ZodType>(schema: Output, value: unknown): Promise<z.output<Output>> {
  const output = await schema.safeParseAsync(value);
  if (output.success) return output.data;
  throw new ToolFailed('unknown', `The tool ran, but its result breaks its own schema: ${violations(output.error)}`);
}

function violations(error: z.ZodError): string {
  const named = error.issues.map(({ path, message }) => `${z.core.toDotPath(path) || 'value'}: ${message}`);
  return named.slice(0, 20).join('; ');
}

const OPTIONS: Record<keyof ToolOptions<z.ZodObject, z.ZodType>, readonly string[]> = {
  name: [],
  description: [],
  input: [],
  output: [],
  effect: [],
  timeoutMs: [],
  retry: ['maxAttempts', 'backoffMs'],
  approval: [],
  expiresInSeconds: [],
  cacheTtlSeconds: [],
  rateLimit: ['max', 'perSeconds'],
  capabilities: [],
  statusText: [],
  execute: [],
};

/** Throws `Misconfigured` for unknown options, since Node would ignore a misspelled option. */
function refuseUnknownOptions({ name, ...options }: Record<string, unknown>): void {
  for (const [option, value] of Object.entries(options)) {
    refuseUnknown(`Tool "${name}"`, option, Object.keys(OPTIONS));
    const within = Object.entries(OPTIONS).find(([known]) => known === option)?.[1] ?? [];
    if (within.length === 0 || typeof value !== 'object' || value === null) continue;
    for (const inner of Object.keys(value)) refuseUnknown(`Tool "${name}": ${option}`, inner, within);
  }
}

function refuseUnknown(owner: string, option: string, known: readonly string[]): void {
  if (known.includes(option)) return;
  const meant = option.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const advice = known.includes(meant) ? `Write ${meant}.` : `Known options: ${known.join(', ')}.`;
  throw new Misconfigured(`${owner} has no option "${option}". ${advice}`);
}

const EXAMPLES = {
  name: 'a text, as in name: "get_weather"',
  description: 'a text, as in description: "Looks up the weather of a city"',
  input: 'a zod schema, as in input: z.object({ city: z.string() })',
  execute: 'a function, as in execute: async ({ city }) => ({ city, celsius: 22 })',
};

/** Throws `Misconfigured` for options of the wrong type, since Node does not check types. */
function refuseWrongShape(given: unknown): void {
  const options: Record<string, unknown> = isRecord(given) ? given : {};
  const { name, description, input, output, execute } = options;
  if (!isRecord(given))
    refuse('defineTool', 'options', { value: given, wanted: 'an object with name, description, input and execute' });
  const owner = typeof name === 'string' ? `Tool "${name}"` : 'A tool';
  if (typeof name !== 'string') refuse(owner, 'name', { value: name, wanted: EXAMPLES.name });
  if (typeof description !== 'string')
    refuse(owner, 'description', { value: description, wanted: EXAMPLES.description });
  refuseSchema(owner, 'input', input);
  if (output !== undefined) refuseSchema(owner, 'output', output);
  if (typeof execute !== 'function') refuse(owner, 'execute', { value: execute, wanted: EXAMPLES.execute });
}

function refuseSchema(owner: string, option: 'input' | 'output', value: unknown): void {
  if (value instanceof z.core.$ZodType || (isObject(value) && '_zod' in value)) return;
  if (isObject(value) && '_def' in value)
    throw new Misconfigured(
      `${owner}: \`${option}\` is a schema of zod 3. Use zod 4, which Pawl includes: import { z } from "zod".`,
    );
  refuse(owner, option, { value, wanted: EXAMPLES.input.replace('input:', `${option}:`) });
}

function refuse(owner: string, option: string, { value, wanted }: { value: unknown; wanted: string }): never {
  const problem = value === undefined ? 'is missing' : `is not ${wanted.split(',', 1)[0]}`;
  throw new Misconfigured(`${owner}: \`${option}\` ${problem}. Give ${wanted}.`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
