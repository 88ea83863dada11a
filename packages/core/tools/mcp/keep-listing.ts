import { setTimeout as wait } from 'node:timers/promises';
import type { Tool } from '../../turn/tool.ts';
import type { McpTools } from './list-mcp-tools.ts';
import { readMcpError } from './read-mcp-error.ts';

/** Tells the operator, in the log, what cannot be told to anybody else. */
export type Warn = (about: Record<string, unknown>, sentence: string) => void;

/** `lately` takes what came of the last reading, also a failure, and leaves a server that failed lately alone. */
export type Patience = { withinMs: number; lately?: boolean };

/** The tools seen last, read anew where that was a while ago; null where nobody has seen them yet. Never rejects. */
export type KeptListing = (patience: Patience) => Promise<Tool[] | null>;

const FRESH_MS = 10_000;

/**
 * Keeps the tools of a server. Who asks waits for a reading no longer than told; it goes on for the next one that asks. One that
 * failed is told once, and again only after the server has answered.
 */
export function keepListing(read: () => Promise<McpTools>, warn: Warn): KeptListing {
  const told = new Set<string>();
  let seen: Tool[] | null = null;
  let seenAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  let readingSince = 0;

  async function refresh(): Promise<void> {
    try {
      const { tools, leftOut } = await read();
      seen = tools;
      seenAt = performance.now();
      failedAt = Number.NEGATIVE_INFINITY;
      for (const { name, why } of leftOut) if (!told.has(name)) warn({ tool: name }, `a tool is left out: ${why}`);
      for (const { name } of leftOut) told.add(name);
    } catch (error) {
      if (failedAt < 0)
        warn(reasonOf(error), 'an MCP server cannot be asked for its tools; those seen last are offered');
      failedAt = performance.now();
    } finally {
      reading = null;
    }
  }

  return async ({ withinMs, lately = false }) => {
    const now = performance.now();
    if (now - seenAt < FRESH_MS || (lately && now - failedAt < FRESH_MS)) return seen;
    if (!reading) {
      readingSince = now;
      reading = refresh();
    }
    const hasFailed = failedAt > 0;
    const leftMs = lately ? readingSince + withinMs - now : withinMs;
    if (lately && (hasFailed || leftMs <= 0)) return seen;
    await Promise.race([reading, wait(leftMs, undefined, { ref: false })]);
    return seen;
  };
}

function reasonOf(error: unknown): Record<string, unknown> {
  const { kind, ...about } = readMcpError(error);
  return {
    reason: kind,
    code: 'code' in about ? about.code : undefined,
    status: 'status' in about ? about.status : undefined,
  };
}
