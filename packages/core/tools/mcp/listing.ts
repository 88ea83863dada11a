import { setTimeout as wait } from 'node:timers/promises';
import type { Client, Tool as ListedTool } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../bounds/mcp-bounds.ts';
import { startRate } from '../../bounds/rate.ts';
import type { Redact } from '../../redact.ts';
import { shorten } from '../../text.ts';
import { Tool, type ToolEffect } from '../../turn/request/tool.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { cleanJson } from '../clean.ts';
import { checkDefinitions } from '../define/check.ts';
import type { Work } from './connection.ts';
import { readMcpError } from './error.ts';
import { headerProblem } from './list/header-problem.ts';
import { listPages } from './list/list-pages.ts';
import { type McpProblem, mcpProblem } from './problem.ts';

/** Logs what only the operator can mend. */
export type Warn = (about: Record<string, unknown>, sentence: string) => void;

/** `skipUnresponsive` accepts the outcome of the last reading, a failure too, instead of waiting for another. */
export type ListingOptions = { withinMs: number; skipUnresponsive?: boolean };

/** The last known tools, read again if they are old; null before the first reading. `list` never rejects. */
export type ToolListing = {
  list(options: ListingOptions): Promise<Tool[] | null>;
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
  let seen: Tool[] | null = null;
  let seenAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  let readingSince = 0;
  let problem: McpProblem | null = null;

  async function refresh(): Promise<void> {
    try {
      const { tools, leftOut } = await read();
      seen = tools;
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
  return { list, problem: () => problem };
}

function sentenceOf(address: string, { what, advice }: McpProblem, seen: Tool[] | null): string {
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

/** A tool that is left out, by the beginning of its name without secrets, and why. */
type LeftOut = { name: string; why: string };

/** The tools of a server, and those that no provider would take or MCP forbids. */
type McpTools = { tools: Tool[]; leftOut: LeftOut[] };

/** Reads the tools of a server. A definition that has not changed since the last reading is not checked again. */
export function listMcpTools(server: string, redact: Redact): Work<McpTools> {
  let known = new Map<string, Tool>();
  return async ({ client }) => {
    if (!client.getServerCapabilities()?.tools) return { tools: [], leftOut: [] };
    const tools = await listPages(client);
    const read = new Map<string, Tool>();
    const defined: Tool[] = [];
    for (const tool of tools) {
      await yieldToEventLoop();
      const text = definitionOf(server, tool);
      const definition = known.get(text) ?? Tool.parse(cleanJson(JSON.parse(text), (part) => part));
      read.set(text, definition);
      defined.push(definition);
    }
    known = read;
    return partitionTools(defined, { takesHeaders: takesHeaders(client), redact });
  };
}

/** Only servers with the newest protocol read arguments from headers. */
function takesHeaders(client: Client): boolean {
  return client.getProtocolEra() === 'modern';
}

type Rules = { takesHeaders: boolean; redact: Redact };

async function partitionTools(tools: Tool[], { takesHeaders, redact }: Rules): Promise<McpTools> {
  const problems = await checkDefinitions(tools, 'provider');
  const reasons = new Map(problems.map(({ path, message }) => [Number(/\d+/.exec(path)?.[0]), message]));
  for (const [index, { description, parameters }] of tools.entries()) {
    const problem = takesHeaders ? headerProblem(parameters) : null;
    if (problem !== null) reasons.set(index, problem);
    if (description.length > MCP_BOUNDS.descriptionLength)
      reasons.set(index, `Describe it in ${MCP_BOUNDS.descriptionLength.toLocaleString('en')} characters at most.`);
  }
  return {
    tools: tools.filter((_, index) => !reasons.has(index)),
    leftOut: tools.flatMap(({ name }, index) => {
      const why = reasons.get(index);
      return why === undefined ? [] : [{ name: shorten(redact(name)), why: redact(why) }];
    }),
  };
}

/** A tool of an MCP server as a definition of ours in JSON, named `server__tool`. Whether it keeps our rules is not checked. */
function definitionOf(server: string, { name, title, description, inputSchema, annotations }: ListedTool): string {
  return JSON.stringify({
    name: `${server}__${name}`,
    description: description ?? title ?? annotations?.title ?? '',
    parameters: inputSchema,
    execution: { kind: 'mcp', server },
    effect: effectOf(annotations),
  });
}

/** From the server's hints; a tool without hints may be called at most once. */
function effectOf(hints: ListedTool['annotations']): ToolEffect {
  if (hints?.readOnlyHint) return 'none';
  return hints?.idempotentHint ? 'idempotent' : 'at_most_once';
}
