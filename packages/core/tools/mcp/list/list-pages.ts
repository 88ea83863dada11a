import { isDeepStrictEqual } from 'node:util';
import type { Client, Tool } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { TooLarge } from '../error.ts';

const PAGE_TIMEOUT_MS = 5_000;

/**
 * Lists the wrapped tools of all pages, within 5 s for each page. A page that comes twice in a row is the last one.
 * - Why: `listTools` of the SDK writes names and other texts of the server to standard error as they are.
 * - Gain: such texts get into the log within its bounds, redacted, and with the name of the server.
 * - Ends when the SDK takes a logger.
 */
export async function listPages(client: Client): Promise<Tool[]> {
  const tools: Tool[] = [];
  let last: { tools: Tool[]; nextCursor?: string | undefined } | undefined;
  for (let pages = 0; pages < MCP_BOUNDS.listPages; pages += 1) {
    const params = last && { cursor: last.nextCursor };
    const page = await client.request(
      { method: 'tools/list', ...(params && { params }) },
      { timeout: PAGE_TIMEOUT_MS },
    );
    if (last && page.nextCursor === last.nextCursor && isDeepStrictEqual(page.tools, last.tools)) return tools;
    tools.push(...page.tools);
    if (page.nextCursor === undefined) return tools;
    last = page;
  }
  throw new TooLarge(`more than ${MCP_BOUNDS.listPages} pages`);
}
