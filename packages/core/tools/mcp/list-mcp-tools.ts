import type { Tool } from '../../turn/tool.ts';
import { checkDefinitions } from '../check-definition.ts';
import { defineMcpTool } from './define-mcp-tool.ts';
import type { Work } from './share-connection.ts';

const LIMIT_MS = 5_000;

/** The tools of a server, and why others were left out: their names or schemas are not what models can be given. */
export type McpTools = { tools: Tool[]; leftOut: { name: string; why: string }[] };

/** Asks a server for its tools. */
export function listMcpTools(server: string): Work<McpTools> {
  return async ({ client }) => {
    if (!client.getServerCapabilities()?.tools) return { tools: [], leftOut: [] };
    const { tools } = await client.listTools(undefined, { timeout: LIMIT_MS, cacheMode: 'refresh' });
    return sorted(tools.map((tool) => defineMcpTool(server, tool)));
  };
}

async function sorted(tools: Tool[]): Promise<McpTools> {
  const problems = await checkDefinitions(tools, 'provider');
  const reasons = new Map(problems.map(({ path, message }) => [Number(/\d+/.exec(path)?.[0]), message]));
  return {
    tools: tools.filter((_, index) => !reasons.has(index)),
    leftOut: tools.flatMap(({ name }, index) => {
      const why = reasons.get(index);
      return why === undefined ? [] : [{ name, why }];
    }),
  };
}
