import { setTimeout as wait } from 'node:timers/promises';
import { MCP_BOUNDS } from '../../bounds/mcp-bounds.ts';
import { startRate } from '../../bounds/rate.ts';
import type { TurnTool } from '../../turn/request/tool.ts';
import { readMcpError } from './error.ts';
import type { McpTools } from './list/list-mcp-tools.ts';
import { type McpProblem, mcpProblem } from './problem.ts';

/** Logs a problem that only the operator can solve. */
export type Warn = (about: Record<string, unknown>, sentence: string) => void;

/** `skipUnresponsive` accepts the last outcome, also a failure. `again` reads the list even if the tools are fresh. */
export type ListingOptions = { withinMs: number; skipUnresponsive?: boolean; again?: boolean };

/** The last known tools, read again if they are old, or null before the first reading. `list` never rejects. */
export type ToolListing = {
  list(options: ListingOptions): Promise<TurnTool[] | null>;
  /** The known tools, and the omitted tools of the last list. */
  known(): McpTools;
  /** Why the last reading failed, or null after a success. */
  problem(): McpProblem | null;
};

const FRESH_MS = 10_000;

/** Caches the tools of a server. A reading continues after `withinMs`. A failure is logged once per outage. */
export function cacheListing(read: () => Promise<McpTools>, address: string, warn: Warn): ToolListing {
  const rate = startRate({ burst: MCP_BOUNDS.leftOutBurst, perSecond: MCP_BOUNDS.leftOutPerSecond });
  let warned = new Set<string>();
  let listed: McpTools | null = null;
  let seenAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  let readingSince = 0;
  let problem: McpProblem | null = null;

  async function refresh(): Promise<void> {
    try {
      listed = await read();
      seenAt = performance.now();
      problem = null;
      failedAt = Number.NEGATIVE_INFINITY;
      warned = new Set(warningsOf(listed).filter(warnOnce).map(keyOf));
    } catch (error) {
      problem = mcpProblem(error);
      if (failedAt < 0) warn(reasonOf(error), sentenceOf(address, problem, listed !== null));
      failedAt = performance.now();
    } finally {
      reading = null;
    }
  }

  /** Logs the problem of a tool. Returns false if the log has enough lines for now. */
  const warnOnce = (warning: ToolWarning) => {
    if (warned.has(keyOf(warning))) return true;
    if (!rate.admits()) return false;
    warn({ tool: warning.tool }, warning.sentence);
    return true;
  };

  const seen = () => listed?.tools ?? null;
  const list = async ({ withinMs, skipUnresponsive = false, again = false }: ListingOptions) => {
    const now = performance.now();
    const isFresh = now - seenAt < FRESH_MS || (skipUnresponsive && now - failedAt < FRESH_MS);
    if (isFresh && !again) return seen();
    if (!reading) {
      readingSince = now;
      reading = refresh();
    }
    const hasFailed = failedAt > 0;
    const leftMs = skipUnresponsive ? readingSince + withinMs - now : withinMs;
    if (skipUnresponsive && (hasFailed || leftMs <= 0)) return seen();
    await Promise.race([reading, wait(leftMs, undefined, { ref: false })]);
    return seen();
  };
  return { list, known: () => listed ?? NOTHING_KNOWN, problem: () => problem };
}

const NOTHING_KNOWN: McpTools = { tools: [], leftOut: [], unchecked: [], outputSchemas: new Map() };

type ToolWarning = { tool: string; sentence: string };

function warningsOf({ leftOut, unchecked }: McpTools): ToolWarning[] {
  return [
    ...leftOut.map(({ name, why }) => ({ tool: name, sentence: `a tool was left out: ${why}` })),
    ...unchecked.map(({ name, why }) => ({ tool: name, sentence: `the results of a tool are not checked: ${why}` })),
  ];
}

/** Returns a key with the sentence, since two tools may have the same shortened name in the log. */
function keyOf({ tool, sentence }: ToolWarning): string {
  return `${tool}\n${sentence}`;
}

function sentenceOf(address: string, { what, advice }: McpProblem, isKnown: boolean): string {
  return `${address} ${what}. ${advice}${isKnown ? ' The tools of its last list are offered.' : ''}`;
}

function reasonOf(error: unknown): Record<string, unknown> {
  const { kind, ...about } = readMcpError(error);
  return {
    reason: kind,
    code: 'code' in about ? about.code : undefined,
    status: 'status' in about ? about.status : undefined,
  };
}
