import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import { Json } from '#core/turn/request/json.ts';
import { GivenTool } from '#core/turn/request/tool.ts';
import { renderPath } from '../../http/issues.ts';
import type { ResponseBody } from '../response-body.ts';
import { readValue } from './explain-issues.ts';
import type { OfferedTool, ReadTool } from './offered-tool.ts';
import { type OperatorsTools, readMcpTool } from './read-mcp-tool.ts';
import type { ResponseSettings } from './response-settings.ts';

/**
 * The tools of a create request (contract-responses section 5), and the types of those that are left out because Pawl has none
 * of them and the operator says `ignore`.
 */
export async function readTools(
  tools: ResponseBody['tools'],
  { responses, ...operators }: OperatorsTools & { responses: Pick<ResponseSettings, 'unsupportedTools'> },
): Promise<{ shown: ReadTool['shown'][]; offered: OfferedTool[]; ignored: string[] }> {
  const read = await Promise.all((tools ?? []).map((tool, at) => readTool(tool, at, operators)));
  const [first] = read.flatMap((tool) => ('problem' in tool ? [tool.problem] : []));
  if (first && responses.unsupportedTools === 'refuse') throw first;
  const taken = read.flatMap((tool) => ('problem' in tool ? [] : [tool]));
  const offered = taken.flatMap((tool) => tool.offered);
  if (offered.length > MOST_OFFERED) throw tooMany(offered.length);
  return {
    shown: taken.map(({ shown }) => shown),
    offered,
    ignored: read.flatMap((tool) => ('problem' in tool ? [tool.type] : [])),
  };
}

/** As many as a request may list; labels stand for more than one. */
const MOST_OFFERED = 128;

function tooMany(count: number): RequestRefused {
  const message = `These are ${count} tools, and a model is offered ${MOST_OFFERED} at most. Choose some, with allowed_tools.`;
  return new RequestRefused(400, 'invalid_value', message, 'tools');
}

type Unsupported = { type: string; problem: RequestRefused };

async function readTool(
  tool: { type: string },
  at: number,
  operators: OperatorsTools,
): Promise<ReadTool | Unsupported> {
  switch (tool.type) {
    case 'function':
      return readFunction(readValue(FunctionTool, tool, ['tools', at]), at);
    case 'custom':
      return readCustom(readValue(CustomTool, tool, ['tools', at]), at);
    case 'mcp':
      return readMcpTool(tool, at, operators);
    default: {
      const message = `Tools of type ${quote(tool.type)} are not supported here. Give functions, custom tools or mcp tools.`;
      const param = renderPath(['tools', at, 'type']);
      return { type: tool.type, problem: new RequestRefused(400, 'unsupported_tool', message, param) };
    }
  }
}

const { parameters: _, type: __, execution, ...ownFields } = GivenTool.shape;

const FunctionTool = z.strictObject({
  ...ownFields,
  type: z.literal('function'),
  parameters: z.record(z.string(), Json).nullish(),
  strict: z.boolean().nullish(),
  execution: execution.refine((value) => !value || value.kind === 'http', 'give an execution of kind http, or none'),
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

/** A function is the caller's, whatever server-side tools there are, unless it says that Pawl posts it somewhere. */
function readFunction({ strict = null, ...tool }: z.output<typeof FunctionTool>, at: number): ReadTool {
  const { type, name, description = null, parameters = null } = tool;
  const shown = { ...tool, description, parameters, strict };
  const shared = { at, name, reference: { type, name }, strict, needsApproval: false };
  if (tool.execution) return { shown, offered: [{ ...shared, given: tool, handOver: null }] };
  // A schema of the caller's own function is between its code and the provider (contract-responses R30).
  const given = { type, name, description, parameters, execution: { kind: 'client' as const } };
  return { shown, offered: [{ ...shared, given, handOver: { custom: false } }] };
}

function readCustom({ type, name, ...tool }: z.output<typeof CustomTool>, at: number): ReadTool {
  const { description = null, format } = tool;
  const grammar =
    format?.type === 'grammar' ? `The input has to follow this ${format.syntax} grammar:\n${format.definition}` : null;
  const given = {
    ...{ type: 'function' as const, name, execution: { kind: 'client' as const } },
    description: [description, grammar].filter((text) => text).join('\n\n'),
    parameters: FREE_TEXT,
  };
  const shared = { at, name, reference: { type, name }, strict: null, needsApproval: false };
  const shown = { type, name, description, format: format ?? { type: 'text' } };
  return { shown, offered: [{ ...shared, given, handOver: { custom: true } }] };
}

const FREE_TEXT = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};
