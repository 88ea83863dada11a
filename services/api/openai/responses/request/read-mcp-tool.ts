import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import { labelledTool, OWN_LABELS } from '#core/turn/request/labelled-tool.ts';
import type { TurnTool } from '#core/turn/request/tool.ts';
import { refuseUnavailable } from '../../../../start/resolve-tools.ts';
import type { ApiContext } from '../../../context.ts';
import { renderPath } from '../../../http/issues.ts';
import { readValue } from './explain-issues.ts';
import type { ReadTool } from './offered-tool.ts';
import { type LabelTools, readFilter, ToolFilter, ToolNames } from './tool-filter.ts';

/** The operator's tools: in `PAWL_TOOLS`, and at the servers of `PAWL_MCP`. */
export type OperatorsTools = Pick<ApiContext, 'tools' | 'mcp'>;

/**
 * Reads the operator's tools that an `mcp` tool of a create request offers by its label. Its approval settings may
 * add an approval to a tool, but never remove an approval.
 */
export async function readMcpTool(tool: object, at: number, operators: OperatorsTools): Promise<ReadTool> {
  refuseAddress(tool, at);
  const asked = readValue(McpTool, tool, ['tools', at]);
  const listed = await listTools(asked.server_label, at, operators);
  const { allowed_tools: allowed } = asked;
  const isAllowed = allowed ? readFilter(allowed, listed, ['tools', at, 'allowed_tools']) : () => true;
  const needsApproval = readApproval(asked, listed, ['tools', at, 'require_approval']);
  const offered = listed.tools.filter(isAllowed).map((each) => ({
    ...{ path: `tools[${at}]`, name: each.name, reference: { type: 'mcp' as const, ...labelledTool(each) } },
    ...{ given: givenFor(each, operators), handOver: null, strict: null, needsApproval: needsApproval(each) },
  }));
  return { shown: shownOf(asked), offered };
}

const address = z.unknown().optional();
const addresses = {
  server_url: address,
  connector_id: address,
  tunnel_id: address,
  headers: address,
  authorization: address,
};

const McpTool = z.strictObject({
  ...addresses,
  type: z.literal('mcp'),
  server_label: z.string().min(1),
  server_description: z.string().nullish(),
  allowed_tools: z.union([ToolNames, ToolFilter]).nullish(),
  require_approval: z
    .union([z.enum(['always', 'never']), z.strictObject({ always: ToolFilter.nullish(), never: ToolFilter.nullish() })])
    .nullish(),
  allowed_callers: z.array(z.literal('direct')).nullish(),
  defer_loading: z.literal(false).nullish(),
});
type McpTool = z.output<typeof McpTool>;

/** The operator configures servers: a turn keeps no URL or secret of a caller. */
function refuseAddress(tool: object, at: number): void {
  const given = new Map(Object.entries(tool).filter(([, value]) => value));
  const field = Object.keys(addresses).find((name) => given.has(name));
  if (!field) return;
  const message = 'MCP servers are configured by the operator, in PAWL_MCP. Leave out the address and the secrets.';
  throw new RequestRefused(400, 'mcp_server_not_configured', message, renderPath(['tools', at, field]));
}

async function listTools(label: string, at: number, { tools, mcp }: OperatorsTools): Promise<LabelTools> {
  if (label === OWN_LABELS.server) return { tools: tools.list(), leftOut: [] };
  const offer = await mcp.toolsOf(label);
  switch (offer.kind) {
    case 'found':
      return offer;
    case 'unavailable':
      return refuseUnavailable(label, offer.problem, renderPath(['tools', at]));
    case 'unknown': {
      const labels = [OWN_LABELS.server, ...mcp.names].join(', ');
      const message = `Server label ${quote(label)} not found. Use one of: ${labels}.`;
      throw new RequestRefused(400, 'unknown_mcp_server', message, renderPath(['tools', at, 'server_label']));
    }
  }
}

/** A name refers to an operator's definition, first to a server-side tool. */
function givenFor({ type, name, execution }: TurnTool, { tools }: OperatorsTools) {
  return execution?.kind === 'mcp' && tools.find(name) ? { type, name, execution } : name;
}

/**
 * Returns whether calls of a tool need an approval. A tool that is named in neither `always` nor `never` has the
 * default.
 */
function readApproval({ require_approval: asked, server_label }: McpTool, listed: LabelTools, path: PropertyKey[]) {
  const byDefault = defaultApproval(server_label) === 'always';
  if (!asked) return () => byDefault;
  if (typeof asked === 'string') return () => asked === 'always';
  const isAlways = readFilter(asked.always ?? [], listed, [...path, 'always']);
  const isNever = readFilter(asked.never ?? [], listed, [...path, 'never']);
  return (tool: TurnTool) => isAlways(tool) || (byDefault && !isNever(tool));
}

/** Returns the default approval: OpenAI's default for servers. The operator's own tools define it themselves. */
function defaultApproval(label: string): 'always' | null {
  return label === OWN_LABELS.server ? null : 'always';
}

/**
 * Returns the form that answers repeat: the tool as sent, without its tool list, with the fields that OpenAI's
 * clients expect.
 */
function shownOf({ type, server_label, ...asked }: McpTool): Record<string, unknown> {
  return {
    ...{ type, server_label, server_description: asked.server_description ?? null },
    ...{ allowed_tools: asked.allowed_tools ?? null, allowed_callers: asked.allowed_callers ?? null },
    require_approval: asked.require_approval ?? defaultApproval(server_label),
    ...{ defer_loading: false, headers: null },
  };
}
