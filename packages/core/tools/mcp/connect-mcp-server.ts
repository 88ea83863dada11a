import { setTimeout as wait } from 'node:timers/promises';
import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { boundAnswers } from './bound-answers.ts';
import type { McpServerConfig } from './read-mcp-servers.ts';
import { watchStreams } from './watch-streams.ts';

/** A connection that has been made. A server with sessions knows it by one, which it may forget. */
export type McpConnection = { client: Client; hasSession: boolean; close(): Promise<void> };

/** `signal` gives the connecting up; `onClose` is told when a connection ends, by us or by the server. */
export type Connecting = { fetch: typeof globalThis.fetch; signal: AbortSignal; onClose: () => void };

/** A command may have to be downloaded before it starts. */
const LIMIT_MS = { remote: 10_000, local: 60_000 };
const GOODBYE_MS = 1_000;

/** Of a list of tools; and bytes of what a command says at a time, as of an answer over HTTP. */
const MOST_PAGES = 20;
const LONGEST_LINE = 8 * 1024 * 1024;

/** Connects to a server: within 10 s, or 60 s for a command. The SDK is loaded with the first connection. */
export async function connectMcpServer(config: McpServerConfig, connecting: Connecting): Promise<McpConnection> {
  return 'url' in config ? connectRemote(config, connecting) : connectLocal(config, connecting);
}

type Remote = Extract<McpServerConfig, { url: string }>;
type Local = Extract<McpServerConfig, { command: string }>;

/** The newest protocol is asked for first; a server that knows only older ones says so in its answer. */
async function connectRemote({ url, headers }: Remote, connecting: Connecting): Promise<McpConnection> {
  const { StreamableHTTPClientTransport: Transport } = await import('@modelcontextprotocol/client');
  const transport = new Transport(new URL(url), { fetch: boundAnswers(connecting.fetch), requestInit: { headers } });
  watchStreams(transport);
  const client = await connect(transport, connecting, 'remote');
  const close = async () => {
    await endSession(transport);
    await client.close();
  };
  return { client, hasSession: transport.sessionId !== undefined, close };
}

/** Of the environment a command is given only what is harmless (PATH, HOME …) and its own `env`: no key of Pawl's. */
async function connectLocal({ command, args, env }: Local, connecting: Connecting): Promise<McpConnection> {
  const { StdioClientTransport: Transport } = await import('@modelcontextprotocol/client/stdio');
  const client = await connect(new Transport({ command, args, env, maxBufferSize: LONGEST_LINE }), connecting, 'local');
  return { client, hasSession: false, close: () => client.close() };
}

/** A command is asked in the older way, which all know: finding out would start it twice. */
async function connect(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  { signal, onClose }: Connecting,
  kind: keyof typeof LIMIT_MS,
): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  const mode = kind === 'remote' ? 'auto' : 'legacy';
  const client = new Client(
    { name: 'pawl', version: '0.1.0' },
    { versionNegotiation: { mode }, listMaxPages: MOST_PAGES },
  );
  client.onclose = onClose;
  const giveUp = () => void transport.close();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect(transport, { timeout: LIMIT_MS[kind] });
    return client;
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Lets a server that keeps sessions forget this one; whether it listens is its own business. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const ended = transport.terminateSession().catch(() => {});
  await Promise.race([ended, wait(GOODBYE_MS, undefined, { ref: false })]);
}
