import { fileURLToPath } from 'node:url';
import { openScriptedMcpServer, refuse, say } from './scripted-server.ts';

/** The kinds of server: the newest protocol over HTTP, an older protocol with sessions, or a command. */
export const LISTING_KINDS = ['newest', 'sessions', 'command'] as const;

/** The tools that a server lists, and its results by tool. A test may change both. */
export type Listing = { tools: { name: string }[]; results: Record<string, object> };

/**
 * Starts an MCP server that lists tools, answers calls of these tools, and refuses other calls. `config` is its entry
 * in `PAWL_MCP`. `called` has the names of the calls over HTTP. A list over HTTP is sent when `ready` resolves.
 */
export async function openListingServer(kind: (typeof LISTING_KINDS)[number], listing: Listing, ready?: Promise<void>) {
  if (kind === 'command') return { config: commandOf(listing), called: [], [Symbol.asyncDispose]: async () => {} };
  const called: string[] = [];
  const server = await openScriptedMcpServer({
    ...{ hasSessions: kind === 'sessions', isNewest: kind === 'newest' },
    onList: async () => {
      await ready;
      return { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: listing.tools };
    },
    onCall: ({ response, message }) => {
      const name = message.params?.name ?? '';
      const isListed = listing.tools.some((tool) => tool.name === name);
      if (!isListed) return refuse(response, message.id, -32_602);
      called.push(name);
      return say(response, message.id, { resultType: 'complete', ...listing.results[name] });
    },
  });
  return { ...server, config: { url: server.url }, called };
}

function commandOf({ tools, results }: Listing) {
  const file = fileURLToPath(new URL('./listing-command.ts', import.meta.url));
  const env = { TOOLS: JSON.stringify(tools), RESULTS: JSON.stringify(results) };
  return { command: process.execPath, args: [file], env };
}
