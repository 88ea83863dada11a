import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type ProxyOf, withoutProxy } from '../../proxy.ts';
import type { Redact } from '../../redact.ts';
import type { TurnTool } from '../../turn/request/tool.ts';
import type { Attempt } from '../run/attempt.ts';
import type { McpServerConfig } from './config.ts';
import { connectMcpServer } from './connect.ts';
import { keepConnection } from './connection.ts';
import { executeMcp, type McpRequest } from './execute.ts';
import { notePauses, openFetchWithoutTimeout } from './http/fetch.ts';
import { type LeftOut, listMcpTools } from './list/list-mcp-tools.ts';
import { cacheListing, type ToolListing, type Warn } from './listing.ts';
import { forwardOutput } from './local/forward-output.ts';
import { addressOfMcp, explainProblem, type McpProblem } from './problem.ts';

/** The meaning of a tool name. `unavailable`: the server does not answer, and its tools were never read. */
export type McpFinding =
  | { kind: 'found'; tool: TurnTool }
  | { kind: 'unknown' }
  | { kind: 'left-out'; why: string }
  | { kind: 'unavailable'; server: string; problem: McpProblem | null };

/** The tools of a server. `unavailable`: the server does not answer, and its tools were never read. */
export type McpOffer =
  | { kind: 'found'; tools: TurnTool[]; leftOut: LeftOut[] }
  | { kind: 'unknown' }
  | { kind: 'unavailable'; problem: McpProblem | null };

/** The MCP servers of this process. The first call connects to a server, and a call after a loss connects again. */
export type McpServers = {
  names: string[];
  server(name: string): McpServer | undefined;
  /** Lists the tools of all servers within 2 s. A server that is away has its last known tools. Never rejects. */
  list(): Promise<McpCatalogue>;
  /** Finds the tool of that name, `server__tool`. Waits at most 10 s for a server with unread tools. */
  find(name: string): Promise<McpFinding>;
  /** Returns the tools of the server of that name, after the same wait. */
  toolsOf(server: string): Promise<McpOffer>;
  /** Asks each server with a URL for its tools, so that a wrong URL is logged at the start. */
  check(): void;
  /**
   * Returns a sentence for each server that did not list its tools at the last request. Such a server is asked again.
   */
  problems(): string[];
  close(): Promise<void>;
};

const LIST_TIMEOUT_MS = 2_000;
const FIRST_LIST_TIMEOUT_MS = 8_000;

/** Takes a line from the standard error of a command, which is the server's text and not Pawl's. */
export type TakeOutput = (about: { mcp_server: string; output: string; left_out?: number }) => void;

type OpenOptions = { warn: Warn; log?: TakeOutput; redact?: Redact; path?: string | undefined; proxyOf?: ProxyOf };

/** Opens the servers without connecting. `warn` gets commands outside `path`. `log` gets bounded, redacted output. */
export function openMcpServers(configs: ReadonlyMap<string, McpServerConfig>, options: OpenOptions): McpServers {
  const { warn, log = () => {}, redact = (text) => text, path = '', proxyOf = withoutProxy } = options;
  const { fetch, close } = openFetchWithoutTimeout(proxyOf);
  for (const [name, config] of configs) warnOfMissing(name, config, { warn, path });
  const servers = new Map(
    [...configs].map(([name, config]) => [name, mcpServer(name, config, { fetch, warn, log, redact })]),
  );
  return {
    names: [...servers.keys()],
    server: (name) => servers.get(name),
    list: () => readCatalogue(servers, LIST_TIMEOUT_MS),
    find: async (name) => {
      const [prefix = ''] = name.split('__', 1);
      const server = name.includes('__') ? servers.get(prefix) : undefined;
      const offer = await offerOf(server);
      if (offer.kind === 'unavailable') return { ...offer, server: prefix };
      const tool = offer.kind === 'found' && offer.tools.find((offered) => offered.name === name);
      if (tool) return { kind: 'found', tool };
      const leftOut = offer.kind === 'found' && offer.leftOut.find(({ aliases }) => aliases.includes(name));
      return leftOut ? { kind: 'left-out', why: leftOut.why } : { kind: 'unknown' };
    },
    toolsOf: (server) => offerOf(servers.get(server)),
    check: () => {
      for (const [name, config] of configs) if ('url' in config) void servers.get(name)?.list({ withinMs: 0 });
    },
    problems: () => [...servers.values()].flatMap(sentencesOf),
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
      await close();
    },
  };
}

async function offerOf(server: McpServer | undefined): Promise<McpOffer> {
  if (!server) return { kind: 'unknown' };
  const tools =
    (await server.list({ withinMs: LIST_TIMEOUT_MS })) ?? (await server.list({ withinMs: FIRST_LIST_TIMEOUT_MS }));
  if (!tools) return { kind: 'unavailable', problem: server.problem() };
  return { kind: 'found', tools, leftOut: server.known().leftOut };
}

function sentencesOf({ list, problem, address }: McpServer): string[] {
  const found = problem();
  if (!found) return [];
  void list({ withinMs: 0, skipUnresponsive: true });
  return [`${address} ${found.what}. ${found.advice}`];
}

function warnOfMissing(name: string, config: McpServerConfig, { warn, path }: { warn: Warn; path: string }): void {
  if (!('command' in config) || hasCommand(config.command, config.env.PATH ?? path)) return;
  const advice = 'Install the command, or give its whole path';
  warn({ mcp_server: name }, `PAWL_MCP.${name}.command: command ${config.command} not found. ${advice}.`);
}

type McpServer = ToolListing & {
  address: string;
  /** Calls a tool, once. Rejects with the reason of its `signal` if `signal` aborts. */
  call(request: McpRequest): Promise<Attempt>;
  close(): Promise<void>;
};

type McpServerOptions = { fetch: typeof globalThis.fetch; warn: Warn; log: TakeOutput; redact: Redact };

function mcpServer(name: string, config: McpServerConfig, { fetch, warn, log, redact }: McpServerOptions): McpServer {
  const pauses = notePauses(fetch);
  const onOutput = (output: Readable) =>
    forwardOutput(output, redact, (line, leftOut) => {
      log({ mcp_server: name, output: line, ...(leftOut > 0 && { left_out: leftOut }) });
    });
  const connecting = { fetch: pauses.fetch, onOutput };
  const connection = keepConnection((signal, onClose) => connectMcpServer(config, { ...connecting, signal, onClose }));
  const listTools = listMcpTools(name, redact);
  const read = () => connection.run(listTools, new AbortController().signal);
  const address = addressOfMcp(name, config);
  const listing = cacheListing(read, address, (about, sentence) => warn({ mcp_server: name, ...about }, sentence));
  return {
    ...listing,
    address,
    call: async (request) => {
      const server = { name, connection, askedMs: pauses.leftMs, listing };
      const attempt = await executeMcp(server, request);
      // A server that hangs does not answer this either. Then the process connects to it or starts it again.
      if (attempt.kind === 'failed' && attempt.error.category === 'execution_timeout')
        void listing.list({ withinMs: 0, again: true });
      return attempt;
    },
    close: () => connection.close(),
  };
}

/** Returns whether a command can be started: a path as it is, a bare name after the lookup of a shell. */
function hasCommand(command: string, path: string): boolean {
  // On Windows a name matches files with several extensions, so only its start shows whether a file exists.
  if (process.platform === 'win32') return true;
  if (command.includes('/')) return canStart(command);
  return path.split(delimiter).some((folder) => canStart(join(folder, command)));
}

function canStart(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A server that did not list its tools at the last request, and a sentence for callers with the reason. */
type UnavailableServer = { server: string; reason: string };

/**
 * The tools of servers by their names for models. A server that is away has its last known tools. No turn has
 * `leftOut`.
 */
type McpCatalogue = {
  tools: TurnTool[];
  unavailable: UnavailableServer[];
  leftOut: ({ server: string } & LeftOut)[];
};

/** Reads the catalogue of all servers. Waits within the given time for each that has answered. Never rejects. */
async function readCatalogue(servers: ReadonlyMap<string, ToolListing>, withinMs: number): Promise<McpCatalogue> {
  const all = await Promise.all([...servers].map(([name, listing]) => readServer(name, listing, withinMs)));
  return {
    tools: all.flatMap(({ tools }) => tools),
    unavailable: all.flatMap(({ unavailable }) => unavailable),
    leftOut: all.flatMap(({ leftOut }) => leftOut),
  };
}

async function readServer(server: string, listing: ToolListing, withinMs: number): Promise<McpCatalogue> {
  const tools = await listing.list({ withinMs, skipUnresponsive: true });
  return {
    tools: tools ?? [],
    unavailable: unavailableOf(server, listing.problem(), tools !== null),
    leftOut: listing.known().leftOut.map((each) => ({ server, ...each })),
  };
}

function unavailableOf(server: string, problem: ReturnType<ToolListing['problem']>, isKnown: boolean) {
  if (isKnown && !problem) return [];
  const known = isKnown ? ' The list has the tools of the server’s last list.' : '';
  return [{ server, reason: `${explainProblem(server, problem)}${known}` }];
}
