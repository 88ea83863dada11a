import { z } from 'zod';
import type { ChatAttempt, ChatRequest, OfferedTool } from './chat-request.ts';
import { type CurrentTurn, resultsText } from './current-turn.ts';
import { estimateUsage } from './estimate-usage.ts';
import type { Call, SimulatedResponse } from './reply.ts';

const PACE = { thinkMs: 0, paceMs: 0, chunkChars: 24, interleave: false };
const QUOTED_CHARS = 1000;

/** Without a script: calls each allowed tool once, then answers with the user's input and the tools' results. */
export function replyUnscripted({ body, bodyLength }: ChatAttempt, turn: CurrentTurn): SimulatedResponse {
  const tools = toolsToCall(body, turn);
  const reply = tools.length
    ? {
        text: `Let me use ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}.`,
        calls: tools.map((tool, index) => callOf(tool, `call_${turn.number}_${turn.since.length}_${index}`)),
        reasoning: '',
        finishReason: 'tool_calls',
      }
    : { text: answerTo(turn), calls: [], reasoning: '', finishReason: 'stop' };
  return { kind: 'reply', reply: { ...reply, usage: estimateUsage(bodyLength, reply) }, pace: PACE, flaw: null };
}

function toolsToCall(
  { tools, tool_choice: choice, parallel_tool_calls }: ChatRequest,
  turn: CurrentTurn,
): OfferedTool[] {
  if (!tools?.length || choice === 'none') return [];
  if (typeof choice === 'object' && choice) return tools.filter((tool) => tool.function.name === choice.function.name);
  const hasResults = turn.since.some((message) => message.role === 'tool');
  if (hasResults && choice !== 'required') return [];
  return parallel_tool_calls === false ? tools.slice(0, 1) : tools;
}

function callOf(tool: OfferedTool, id: string): Call {
  const args = exampleArguments(tool.function.parameters ?? {});
  return { id, name: tool.function.name, arguments: JSON.stringify(args) };
}

function answerTo(turn: CurrentTurn): string {
  const results = resultsText(turn);
  const echo = `You said: "${quoted(turn.input)}".`;
  return results ? `${echo} The tools answered: ${quoted(results)}` : echo;
}

function quoted(text: string): string {
  return text.length > QUOTED_CHARS ? `${text.slice(0, QUOTED_CHARS)}…` : text;
}

const MAX_DEPTH = 6;

const Schema = z.looseObject({
  type: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  properties: z.record(z.string(), z.unknown()).optional().catch(undefined),
  required: z.array(z.string()).optional().catch(undefined),
  enum: z.array(z.unknown()).optional().catch(undefined),
  examples: z.array(z.unknown()).optional().catch(undefined),
  anyOf: z.array(z.unknown()).optional().catch(undefined),
  oneOf: z.array(z.unknown()).optional().catch(undefined),
  minimum: z.number().optional().catch(undefined),
  maximum: z.number().optional().catch(undefined),
  minLength: z.number().optional().catch(undefined),
  maxLength: z.number().optional().catch(undefined),
  $ref: z.string().optional().catch(undefined),
});
type Schema = z.output<typeof Schema>;
type SchemaPath = { root: unknown; name: string; depth: number };

/** Arguments that a JSON schema should accept: its required properties, from its own examples where it has any. */
export function exampleArguments(schema: Record<string, unknown>): Record<string, unknown> {
  return exampleObject(Schema.parse(schema), { root: schema, name: 'input', depth: 0 });
}

function exampleObject({ properties = {}, required = [] }: Schema, path: SchemaPath): Record<string, unknown> {
  const filled = required.map((name) => [name, exampleOf(properties[name], { ...path, name, depth: path.depth + 1 })]);
  return Object.fromEntries(filled);
}

function exampleOf(unparsed: unknown, path: SchemaPath): unknown {
  const parsed = Schema.safeParse(unparsed);
  if (!parsed.success || path.depth > MAX_DEPTH) return path.name;
  const schema = parsed.data;
  const given = [...(schema.examples ?? []), ...('default' in schema ? [schema.default] : []), ...(schema.enum ?? [])];
  if ('const' in schema) return schema.const;
  if (given.length) return given[0];

  const other = schema.$ref ? refTarget(path.root, schema.$ref) : (schema.anyOf ?? schema.oneOf)?.[0];
  return other === undefined ? exampleOfType(schema, path) : exampleOf(other, { ...path, depth: path.depth + 1 });
}

function exampleOfType(schema: Schema, path: SchemaPath): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || schema.properties) return exampleObject(schema, path);
  if (type === 'array') return [exampleOf(schema.items, { ...path, depth: path.depth + 1 })];
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'number' || type === 'integer')
    return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? Infinity);
  return path.name.padEnd(schema.minLength ?? 0, '-').slice(0, schema.maxLength);
}

/** Follows a reference inside the schema itself, such as `#/$defs/city`. */
function refTarget(root: unknown, ref: string): unknown {
  let target = root;
  for (const key of ref.split('/').slice(1)) {
    const level = z.record(z.string(), z.unknown()).safeParse(target);
    target = level.success ? level.data[key] : undefined;
  }
  return target;
}
