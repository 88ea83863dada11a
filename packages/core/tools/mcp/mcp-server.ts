import type { Attempt } from '../attempt.ts';
import { connectMcpServer } from './connect-mcp-server.ts';
import { executeMcp, type McpRequest } from './execute-mcp.ts';
import { keepConnection } from './keep-connection.ts';
import { type KeptListing, keepListing, type Warn } from './keep-listing.ts';
import { listMcpTools } from './list-mcp-tools.ts';
import type { McpServerConfig } from './read-mcp-servers.ts';

/** One MCP server: what it offers, and what it does. */
export type McpServer = {
  list: KeptListing;
  /** Calls a tool, once. Rejects with the reason of its `signal` when that aborts. */
  call(request: McpRequest): Promise<Attempt>;
  close(): Promise<void>;
};

type Surroundings = { fetch: typeof globalThis.fetch; warn: Warn };

/** A server by its name; it is connected to when it is first asked for something. */
export function mcpServer(name: string, config: McpServerConfig, { fetch, warn }: Surroundings): McpServer {
  const connection = keepConnection((signal, onClose) => connectMcpServer(config, { fetch, signal, onClose }));
  const read = () => connection.use(listMcpTools(name), new AbortController().signal);
  const list = keepListing(read, (about, sentence) => warn({ mcp_server: name, ...about }, sentence));
  return {
    list,
    call: async (request) => {
      const attempt = await executeMcp({ name, connection }, request);
      // A server that hangs does not answer this either; then it is connected to, or started, anew.
      if (attempt.kind === 'failed' && attempt.error.category === 'execution_timeout') void list({ withinMs: 0 });
      return attempt;
    },
    close: () => connection.close(),
  };
}
