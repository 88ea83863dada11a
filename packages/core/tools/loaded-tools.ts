import type { TurnTool } from '../turn/request/tool.ts';
import type { McpServers } from './mcp/servers.ts';
import type { ToolRegistry } from './registry.ts';

/** The tools and MCP servers that every process loads itself to run calls. */
type Loaded = { tools: Pick<ToolRegistry, 'list' | 'find'>; mcp: Pick<McpServers, 'names' | 'server'> };

/** Returns the loaded tools of a process: its server-side tools by name, its MCP servers as `mcp:<name>`. */
export function loadedTools({ tools, mcp }: Pick<Loaded, 'tools' | 'mcp'>): string[] {
  return [...tools.list().map(({ name }) => name), ...mcp.names.map(nameServer)];
}

/** Returns the name of the missing tool or server for a call, or null if this process can run the call. */
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
