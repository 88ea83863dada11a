import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../bounds/mcp-bounds.ts';
import { isRecord } from '../../json.ts';
import { tooLarge } from './error.ts';
import { wrapTool } from './list/read-tool.ts';
import { tidyResult } from './tidy/tidy-result.ts';

type Message = JSONRPCMessage | JSONRPCMessage[];

/**
 * Bounds the results of one connection by `MCP_BOUNDS` before the SDK checks each of their parts. The tools of a list
 * are counted over all its pages.
 */
export function boundResults() {
  const { contentBlocks, listTools, listLength } = MCP_BOUNDS;
  let tools = 0;
  let length = 0;

  const excess = (result: Record<string, unknown>): string | null => {
    if (Array.isArray(result.content) && result.content.length > contentBlocks)
      return `more than ${contentBlocks.toLocaleString('en')} content blocks`;
    if (!Array.isArray(result.tools)) return null;
    tools += result.tools.length;
    if (tools > listTools) return `more than ${listTools.toLocaleString('en')} tools`;
    length += JSON.stringify(result.tools).length;
    return length > listLength ? `tools of more than ${listLength / 1024 / 1024} MiB` : null;
  };
  return {
    /** Counts a message before it is sent. */
    noteSent(message: Message): void {
      if (Array.isArray(message) || !('method' in message) || message.method !== 'tools/list') return;
      if (message.params?.cursor === undefined) [tools, length] = [0, 0];
    },
    /** Tidies a result, by the `method` of its request. A result that exceeds a bound becomes an error. */
    check(message: JSONRPCMessage, method: string | undefined): void {
      const result = 'result' in message && isRecord(message.result) ? message.result : null;
      const bound = result && excess(result);
      if (bound === null) {
        if (result && method === 'tools/call') tidyResult(result);
        return void (result && method === 'tools/list' && wrapTools(result));
      }
      Reflect.deleteProperty(message, 'result');
      Object.assign(message, { error: tooLarge(bound) });
    },
  };
}

/**
 * Wraps the tools of a result. Some servers send null for an empty list or for the last cursor, or a number as a
 * cursor.
 */
function wrapTools(result: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(result)) {
    if (value === null && name !== 'tools') Reflect.deleteProperty(result, name);
  }
  if (result.tools === null) result.tools = [];
  if (Array.isArray(result.tools)) result.tools = result.tools.map(wrapTool);
  if (!result.nextCursor) Reflect.deleteProperty(result, 'nextCursor');
  else if (typeof result.nextCursor === 'number') result.nextCursor = String(result.nextCursor);
}
