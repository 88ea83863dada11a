import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client, StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../bounds/mcp-bounds.ts';
import type { McpServerConfig } from './config.ts';
import { connectionFetch } from './http/fetch.ts';
import { patchTransport } from './http/patch-transport.ts';
import { localTransport } from './local/local-transport.ts';

/** An open connection. A server with sessions may forget the connection's session. */
export type McpConnection = { client: Client; hasSession: boolean; close(): Promise<void> };

/**
 * `signal` aborts the connecting. `onClose` is called if either side closes. `onOutput` gets the standard error of a
 * command.
 */
export type Connecting = {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  onClose: () => void;
  onOutput: (output: Readable) => void;
};

/** A command gets more time, since it may be downloaded before it starts. */
const TIMEOUT_MS = { remote: 10_000, local: 60_000 };
const END_SESSION_TIMEOUT_MS = 1_000;

/** Connects to a server within 10 s, or 60 s for a command. The first connection loads the SDK. */
export async function connectMcpServer(config: McpServerConfig, connecting: Connecting): Promise<McpConnection> {
  return 'url' in config ? connectRemote(config, connecting) : connectLocal(config, connecting);
}

type Remote = Extract<McpServerConfig, { url: string }>;
type Local = Extract<McpServerConfig, { command: string }>;

/** Offers the newest protocol. An older server answers with its own version. */
async function connectRemote({ url, headers }: Remote, connecting: Connecting): Promise<McpConnection> {
  const { StreamableHTTPClientTransport: Transport } = await import('@modelcontextprotocol/client');
  const transport = new Transport(new URL(url), {
    fetch: connectionFetch(connecting.fetch),
    // The `fetch` above follows redirects, since the SDK would send a call again.
    requestInit: { headers, redirect: 'manual' },
    reconnectionScheduler: resumeLater,
  });
  patchTransport(transport);
  const client = await connect(transport, connecting, 'remote');
  const close = async () => {
    await endSession(transport);
    await client.close();
  };
  return { client, hasSession: transport.sessionId !== undefined, close };
}

/** Resumes the stream of a call after a pause within `MCP_BOUNDS`. Returns a function that cancels this. */
function resumeLater(resume: () => void, askedMs: number): () => void {
  const { leastResumeMs, longestResumeMs } = MCP_BOUNDS;
  const timer = setTimeout(resume, Math.min(Math.max(askedMs, leastResumeMs), longestResumeMs));
  return () => clearTimeout(timer);
}

/** Starts a command with the harmless part of the environment (PATH, HOME …) and its own `env`, never a key of Pawl. */
async function connectLocal({ command, args, env }: Local, connecting: Connecting): Promise<McpConnection> {
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const whole = { ...getDefaultEnvironment(), ...env };
  const transport = localTransport({ command, args, env: whole, onOutput: connecting.onOutput });
  const client = await connect(transport, connecting, 'local');
  return { client, hasSession: false, close: () => client.close() };
}

/** Connects in legacy mode to a command, since all commands support it and negotiation would start a command twice. */
async function connect(
  transport: Transport,
  { signal, onClose }: Connecting,
  kind: keyof typeof TIMEOUT_MS,
): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  const mode = kind === 'remote' ? 'auto' : 'legacy';
  const client = new Client(
    { name: 'pawl', version: '0.1.0' },
    // The SDK must not repeat a tool that asks for input, since the ledger decides about calls.
    { versionNegotiation: { mode }, inputRequired: { autoFulfill: false } },
  );
  client.onclose = onClose;
  const stop = () => void transport.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect(transport, { timeout: TIMEOUT_MS[kind] });
    return client;
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Ends the session of a server with sessions, and ignores failures. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const ended = transport.terminateSession().catch(() => {});
  await Promise.race([ended, wait(END_SESSION_TIMEOUT_MS, undefined, { ref: false })]);
}
