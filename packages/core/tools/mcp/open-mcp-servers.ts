import { patientFetch } from '../../patient-fetch.ts';
import type { Tool } from '../../turn/tool.ts';
import { hasCommand } from './has-command.ts';
import type { Warn } from './keep-listing.ts';
import { type McpServer, mcpServer } from './mcp-server.ts';
import type { McpServerConfig } from './read-mcp-servers.ts';

/** What a name stands for; `unavailable` where its server cannot be asked and nobody has seen its tools yet. */
export type McpFinding = { kind: 'found'; tool: Tool } | { kind: 'unknown' } | { kind: 'unavailable'; server: string };

/** The MCP servers of this process. Each is connected to when it is first needed, and again when it was lost. */
export type McpServers = {
  names: string[];
  server(name: string): McpServer | undefined;
  /**
   * The tools of all servers, within 2 s: of one that does not answer by then, those seen last. One that did not lately is
   * not waited for. Never rejects.
   */
  list(): Promise<Tool[]>;
  /** The tool of that name, `server__tool`. A server whose tools nobody has seen yet is waited for, 10 s at most. */
  find(name: string): Promise<McpFinding>;
  /** Ends all connections, and all commands that were started. */
  close(): Promise<void>;
};

const PATIENCE_MS = 2_000;
const FIRST_PATIENCE_MS = 8_000;

/** Opens what `PAWL_MCP` names, without connecting yet. `warn` hears at once of commands that are not there. */
export function openMcpServers(configs: ReadonlyMap<string, McpServerConfig>, warn: Warn): McpServers {
  const { fetch, close } = patientFetch();
  for (const [name, config] of configs) warnOfMissing(name, config, warn);
  const servers = new Map([...configs].map(([name, config]) => [name, mcpServer(name, config, { fetch, warn })]));
  return {
    names: [...servers.keys()],
    server: (name) => servers.get(name),
    list: async () => {
      const lists = await Promise.all(
        [...servers.values()].map((server) => server.list({ withinMs: PATIENCE_MS, lately: true })),
      );
      return lists.flatMap((tools) => tools ?? []);
    },
    find: async (name) => {
      const [prefix = ''] = name.split('__', 1);
      const server = name.includes('__') ? servers.get(prefix) : undefined;
      if (!server) return { kind: 'unknown' };
      const tools =
        (await server.list({ withinMs: PATIENCE_MS })) ?? (await server.list({ withinMs: FIRST_PATIENCE_MS }));
      if (!tools) return { kind: 'unavailable', server: prefix };
      const tool = tools.find((offered) => offered.name === name);
      return tool ? { kind: 'found', tool } : { kind: 'unknown' };
    },
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
      await close();
    },
  };
}

function warnOfMissing(name: string, config: McpServerConfig, warn: Warn): void {
  if (!('command' in config) || hasCommand(config.command, config.env.PATH)) return;
  const advice = 'Install it, or give the whole path';
  warn({ mcp_server: name }, `PAWL_MCP.${name}.command: there is no command ${config.command} here. ${advice}.`);
}
