import type { TurnTool } from '../turn/request/tool.ts';
import type { McpServers } from './mcp/servers.ts';
import type { ToolRegistry } from './registry.ts';

/** What a process runs calls with that every process has to load for itself. */
type Loaded = { tools: Pick<ToolRegistry, 'list' | 'find'>; mcp: Pick<McpServers, 'names' | 'server'> };

/** What a process has loaded: its server-side tools by their names, its MCP servers as `mcp:<name>`. */
export function loadedTools({ tools, mcp }: Pick<Loaded, 'tools' | 'mcp'>): string[] {
  return [...tools.list().map(({ name }) => name), ...mcp.names.map(nameServer)];
}

/** What a call of a tool needs that is not loaded here, in the same words; null where it can run here. */
export function lackedBy({ name, execution }: TurnTool, { tools, mcp }: Loaded): string | null {
  switch (execution?.kind) {
    case 'server':
    case undefined:
      return tools.find(name) ? null : name;
    case 'mcp':
      return mcp.server(execution.server) ? null : nameServer(execution.server);
    case 'http':
    case 'client':
      return null;
  }
}

function nameServer(server: string): string {
  return `mcp:${server}`;
}
