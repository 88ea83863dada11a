import { isDeepStrictEqual } from 'node:util';
import type { Client, Tool } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { readMcpError, TooLarge } from '../error.ts';

const PAGE_TIMEOUT_MS = 5_000;

/**
 * Lists the wrapped tools of all pages, within 5 s for each page. A page that comes twice in a row is the last one:
 * some servers ignore the cursor. A server that names no tools among its capabilities may refuse the list.
 * - Why: `listTools` of the SDK writes names and other texts of the server to standard error as they are.
 * - Gain: such texts get into the log within its bounds, redacted, and with the name of the server.
 * - Ends when the SDK takes a logger.
 */
export async function listPages(client: Client): Promise<Tool[]> {
  try {
    return await readPages(client);
  } catch (error) {
    const isOffered = client.getServerCapabilities()?.tools !== undefined;
    if (isOffered || readMcpError(error).kind !== 'refused') throw error;
    return [];
  }
}

async function readPages(client: Client): Promise<Tool[]> {
  const tools: Tool[] = [];
  let last: { tools: Tool[]; nextCursor?: string | undefined } | undefined;
  for (let pages = 0; pages < MCP_BOUNDS.listPages; pages += 1) {
    const params = last && { cursor: last.nextCursor };
    const page = await client.request(
      { method: 'tools/list', ...(params && { params }) },
      { timeout: PAGE_TIMEOUT_MS },
    );
    const isSame = page.tools.length > 0 || page.nextCursor === last?.nextCursor;
    if (last && isSame && isDeepStrictEqual(page.tools, last.tools)) return tools;
    tools.push(...page.tools);
    if (page.nextCursor === undefined) return tools;
    last = page;
  }
  throw new TooLarge(`more than ${MCP_BOUNDS.listPages} pages`);
}
