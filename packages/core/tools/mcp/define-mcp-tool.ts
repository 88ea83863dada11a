import type { Tool as ListedTool } from '@modelcontextprotocol/client';
import { Tool, type ToolEffect } from '../../turn/tool.ts';
import { cleanJson } from '../clean-json.ts';

/** A tool of an MCP server as a definition of ours, named `server__tool`. Whether it keeps our rules is not checked. */
export function defineMcpTool(
  server: string,
  { name, title, description, inputSchema, annotations }: ListedTool,
): Tool {
  const definition = {
    name: `${server}__${name}`,
    description: description ?? title ?? annotations?.title ?? '',
    parameters: inputSchema,
    execution: { kind: 'mcp', server },
    effect: effectOf(annotations),
  };
  return Tool.parse(cleanJson(definition, (text) => text));
}

/** What the server says of it in hints; one that says nothing may be called at most once. */
function effectOf(hints: ListedTool['annotations']): ToolEffect {
  if (hints?.readOnlyHint) return 'none';
  return hints?.idempotentHint ? 'idempotent' : 'at_most_once';
}
