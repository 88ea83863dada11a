import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import type { Provider } from '#core/llm/provider.ts';
import { quote } from '#core/text.ts';
import type { HostedType } from '#core/turn/hosted/hosted-tool.ts';
import { Json } from '#core/turn/request/json.ts';
import { GivenTool } from '#core/turn/request/tool.ts';
import { renderPath } from '../../../http/issues.ts';
import type { ResponseBody } from '../response-body.ts';
import { readValue } from './explain-issues.ts';
import { hasHostedTool, hostedTypeOf, readHostedTool } from './hosted-tool.ts';
import type { OfferedHosted, OfferedTool, ReadTool } from './offered-tool.ts';
import { type OperatorsTools, readMcpTool } from './read-mcp-tool.ts';
import type { ResponseSettings } from './response-settings.ts';

/**
 * Reads the tools of a create request. `ignored` are the types of tools that Pawl does not support and leaves out,
 * because the operator's setting is `ignore`. The provider runs the `hosted` tools.
 */
export async function readTools(
  tools: ResponseBody['tools'],
  { responses, ...operators }: Rules & { responses: Pick<ResponseSettings, 'unsupportedTools'> },
): Promise<ToolsRead> {
  const read = await Promise.all((tools ?? []).map((tool, at) => readTool(tool, at, operators)));
  const unsupported = read.flatMap((tool) => ('problem' in tool ? [tool] : (tool.unsupported ?? [])));
  const [first] = unsupported;
  if (first && responses.unsupportedTools === 'refuse') throw first.problem;
  const taken = read.flatMap((tool) => ('problem' in tool ? [] : [tool]));
  const offered = distinctNames(taken.flatMap((tool) => tool.offered));
  if (offered.length > MOST_OFFERED) throw tooMany(offered.length);
  const hosted = distinctHosted(taken.flatMap((tool) => tool.hosted ?? []));
  return { shown: taken.map(({ shown }) => shown), offered, hosted, ignored: unsupported.map(({ type }) => type) };
}

type Rules = OperatorsTools & { provider: Pick<Provider, 'name' | 'capabilities'> };
type ToolsRead = { shown: ReadTool['shown'][]; offered: OfferedTool[]; hosted: OfferedHosted[]; ignored: string[] };

/** Refuses a kind of hosted tool that is given twice, perhaps by two names. */
function distinctHosted(hosted: OfferedHosted[]): OfferedHosted[] {
  const kinds = hosted.map(({ tool }) => tool.type);
  const again = hosted.find(({ tool }, at) => kinds.indexOf(tool.type) < at);
  if (!again) return hosted;
  const message = `\`${again.path}\` names a tool that another entry names too. Give each tool once.`;
  throw new RequestRefused(400, 'invalid_tool', message, `${again.path}.type`);
}

/** The maximum number of offered tools equals that of listed tools. A label may offer several tools. */
const MOST_OFFERED = 128;

function tooMany(count: number): RequestRefused {
  const message =
    `The request offers ${count} tools, but a model accepts at most ${MOST_OFFERED}. Select fewer ` +
    'tools with `allowed_tools`.';
  return new RequestRefused(400, 'invalid_value', message, 'tools');
}

/**
 * Renames each tool of a namespace if another tool has its name. The new name includes the namespace. The caller
 * still reads the tool's own name in each call.
 */
function distinctNames(offered: OfferedTool[]): OfferedTool[] {
  const used = new Set(offered.flatMap(({ name, handOver }) => (handOver?.namespace === undefined ? [name] : [])));
  return offered.map((tool) => {
    const { name: own, given, handOver } = tool;
    if (handOver?.namespace === undefined || typeof given === 'string') return tool;
    const name = freeName([own, `${handOver.namespace}__${own}`], used);
    used.add(name);
    return name === own ? tool : { ...tool, name, given: { ...given, name }, handOver: { ...handOver, name: own } };
  });
}

/** The longest name that every provider accepts. */
const LONGEST_NAME = 64;

/** Returns the first unused name, in a numbered form if all are used. */
function freeName(names: [string, string], used: ReadonlySet<string>): string {
  const free = names.find((name) => !used.has(name) && (name === names[0] || name.length <= LONGEST_NAME));
  if (free !== undefined) return free;
  for (let number = 2; ; number += 1) {
    const end = `__${number}`;
    const name = `${names[1].slice(0, LONGEST_NAME - end.length)}${end}`;
    if (!used.has(name)) return name;
  }
}

type Unsupported = { type: string; problem: RequestRefused };

async function readTool(
  tool: { type: string },
  at: number,
  { provider, ...operators }: Rules,
): Promise<(ReadTool & { unsupported?: Unsupported[] }) | Unsupported> {
  const path = ['tools', at];
  const hosted = hostedTypeOf(tool.type);
  if (hosted) return readProviders(tool, path, { hosted, provider });
  switch (tool.type) {
    case 'function':
      return readFunction(readValue(FunctionTool, tool, path), renderPath(path));
    case 'custom':
      return readCustom(readValue(CustomTool, tool, path), renderPath(path));
    case 'namespace':
      return readNamespace(readValue(NamespaceTool, tool, path), path);
    case 'mcp':
      return readMcpTool(tool, at, operators);
    default:
      return unsupportedTool(tool.type, path);
  }
}

/** Reads a tool that the provider runs. A wire without such a tool does not support it. */
function readProviders(
  tool: { type: string },
  path: PropertyKey[],
  { hosted, provider }: { hosted: HostedType; provider: Rules['provider'] },
): ReadTool | Unsupported {
  if (!hasHostedTool(provider, hosted)) return unsupportedTool(tool.type, path, provider.name);
  const offered = { path: renderPath(path), asked: tool.type, tool: readHostedTool(tool, hosted, provider) };
  return { shown: tool, offered: [], hosted: offered };
}

function unsupportedTool(type: string, path: PropertyKey[], provider?: string): Unsupported {
  const message =
    `Tools of type ${quote(type)} are not supported ${provider ? `by ${provider}` : 'here'}. Leave them out, ` +
    'or ask the operator to set PAWL_UNSUPPORTED_TOOLS=ignore.';
  return { type, problem: new RequestRefused(400, 'unsupported_tool', message, renderPath([...path, 'type'])) };
}

const { parameters: _, type: __, execution, ...ownFields } = GivenTool.shape;

const FunctionTool = z.strictObject({
  ...ownFields,
  type: z.literal('function'),
  parameters: z.record(z.string(), Json).nullish(),
  strict: z.boolean().nullish(),
  execution: execution.refine((value) => !value || value.kind === 'http', 'give an execution of kind http, or none'),
});

/** All tools in a namespace are the caller's. A model is offered all tools at once. */
const NamespaceFunction = FunctionTool.omit({ execution: true }).extend({ defer_loading: z.boolean().nullish() });

const NamespaceTool = z.strictObject({
  type: z.literal('namespace'),
  name: z.string().min(1).max(128),
  description: z.string().nullish(),
  tools: z.array(z.looseObject({ type: z.string() })),
});

const CustomTool = z.strictObject({
  type: z.literal('custom'),
  name: z.string(),
  description: z.string().nullish(),
  format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({ type: z.literal('grammar'), syntax: z.enum(['lark', 'regex']), definition: z.string() }),
    ])
    .nullish(),
});

/** Unfolds a namespace. Its tools keep their names, and their calls name the namespace. */
function readNamespace({ tools, ...namespace }: z.output<typeof NamespaceTool>, path: PropertyKey[]) {
  const read = tools.map((tool, index) => readMember(tool, [...path, 'tools', index]));
  const taken = read.flatMap((tool) => ('problem' in tool ? [] : [tool]));
  const offered = taken.flatMap((tool) => tool.offered);
  return {
    shown: { ...namespace, description: namespace.description ?? '', tools: taken.map(({ shown }) => shown) },
    offered: offered.map((tool) => ({
      ...tool,
      handOver: tool.handOver && { ...tool.handOver, namespace: namespace.name },
    })),
    unsupported: read.flatMap((tool) => ('problem' in tool ? [tool] : [])),
  };
}

function readMember(tool: { type: string }, path: PropertyKey[]): ReadTool | Unsupported {
  switch (tool.type) {
    case 'function': {
      const { defer_loading: _, ...given } = readValue(NamespaceFunction, tool, path);
      return readFunction(given, renderPath(path));
    }
    case 'custom':
      return readCustom(readValue(CustomTool, tool, path), renderPath(path));
    default:
      return unsupportedTool(tool.type, path);
  }
}

/** A function belongs to the caller, even if a server-side tool has its name, unless Pawl posts its calls to a URL. */
function readFunction({ strict = null, ...tool }: z.output<typeof FunctionTool>, path: string): ReadTool {
  const { type, name, description = null, parameters = null } = tool;
  const shown = { ...tool, description, parameters, strict };
  const shared = { path, name, reference: { type, name }, strict, needsApproval: false };
  if (tool.execution) return { shown, offered: [{ ...shared, given: tool, handOver: null }] };
  // Pawl does not check the schema of a caller's own function. It concerns only the caller and the provider.
  const given = { type, name, description, parameters, execution: { kind: 'client' as const } };
  return { shown, offered: [{ ...shared, given, handOver: { custom: false } }] };
}

function readCustom({ type, name, ...tool }: z.output<typeof CustomTool>, path: string): ReadTool {
  const { description = null, format } = tool;
  const grammar =
    format?.type === 'grammar' ? `The input has to follow this ${format.syntax} grammar:\n${format.definition}` : null;
  const given = {
    ...{ type: 'function' as const, name, execution: { kind: 'client' as const } },
    description: [description, grammar].filter((text) => text).join('\n\n'),
    parameters: FREE_TEXT,
  };
  const shared = { path, name, reference: { type, name }, strict: null, needsApproval: false };
  const shown = { type, name, description, format: format ?? { type: 'text' } };
  return { shown, offered: [{ ...shared, given, handOver: { custom: true } }] };
}

const FREE_TEXT = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};
