import { setTimeout as wait } from 'node:timers/promises';
import { MCP_BOUNDS } from '../../bounds/mcp-bounds.ts';
import { startRate } from '../../bounds/rate.ts';
import type { TurnTool } from '../../turn/request/tool.ts';
import { readMcpError } from './error.ts';
import type { LeftOut, McpTools } from './list/list-mcp-tools.ts';
import { type McpProblem, mcpProblem } from './problem.ts';

/** Logs what only the operator can mend. */
export type Warn = (about: Record<string, unknown>, sentence: string) => void;

/** `skipUnresponsive` accepts the outcome of the last reading, a failure too, instead of waiting for another. */
export type ListingOptions = { withinMs: number; skipUnresponsive?: boolean };

/** The last known tools, read again if they are old; null before the first reading. `list` never rejects. */
export type ToolListing = {
  list(options: ListingOptions): Promise<TurnTool[] | null>;
  /** The tools that are known now, and those of the last list that are left out. */
  known(): McpTools;
  /** Why the last reading failed; null after one that did not. */
  problem(): McpProblem | null;
};

const FRESH_MS = 10_000;

/**
 * Caches the tools of a server. A caller waits at most `withinMs` for a reading, which goes on for the next caller. A
 * failure is logged once with the server's `address`, and again only after the server has answered.
 */
export function cacheListing(read: () => Promise<McpTools>, address: string, warn: Warn): ToolListing {
  const rate = startRate({ burst: MCP_BOUNDS.leftOutBurst, perSecond: MCP_BOUNDS.leftOutPerSecond });
  let warned = new Set<string>();
  let seen: TurnTool[] | null = null;
  let without: LeftOut[] = [];
  let seenAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  let readingSince = 0;
  let problem: McpProblem | null = null;

  async function refresh(): Promise<void> {
    try {
      const { tools, leftOut } = await read();
      seen = tools;
      without = leftOut;
      seenAt = performance.now();
      problem = null;
      failedAt = Number.NEGATIVE_INFINITY;
      warned = new Set(leftOut.filter(warnOnce).map(({ name }) => name));
    } catch (error) {
      problem = mcpProblem(error);
      if (failedAt < 0) warn(reasonOf(error), sentenceOf(address, problem, seen));
      failedAt = performance.now();
    } finally {
      reading = null;
    }
  }

  /** Logs that a tool is left out. False if the log has enough lines for now. */
  const warnOnce = ({ name, why }: LeftOut) => {
    if (warned.has(name)) return true;
    if (!rate.admits()) return false;
    warn({ tool: name }, `a tool is left out: ${why}`);
    return true;
  };

  const list = async ({ withinMs, skipUnresponsive = false }: ListingOptions) => {
    const now = performance.now();
    if (now - seenAt < FRESH_MS || (skipUnresponsive && now - failedAt < FRESH_MS)) return seen;
    if (!reading) {
      readingSince = now;
      reading = refresh();
    }
    const hasFailed = failedAt > 0;
    const leftMs = skipUnresponsive ? readingSince + withinMs - now : withinMs;
    if (skipUnresponsive && (hasFailed || leftMs <= 0)) return seen;
    await Promise.race([reading, wait(leftMs, undefined, { ref: false })]);
    return seen;
  };
  return { list, known: () => ({ tools: seen ?? [], leftOut: without }), problem: () => problem };
}

function sentenceOf(address: string, { what, advice }: McpProblem, seen: TurnTool[] | null): string {
  return `${address} ${what}. ${advice}${seen ? ' The tools that it listed before are offered.' : ''}`;
}

function reasonOf(error: unknown): Record<string, unknown> {
  const { kind, ...about } = readMcpError(error);
  return {
    reason: kind,
    code: 'code' in about ? about.code : undefined,
    status: 'status' in about ? about.status : undefined,
  };
}
