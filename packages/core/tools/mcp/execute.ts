import type { CallToolRequestOptions, CallToolResult } from '@modelcontextprotocol/client';
import { type AnswerSlot, startTimeout } from '../../bounds/answer-slots.ts';
import type { TraceHeaders } from '../../trace-context.ts';
import { mayBeDerived, remoteNameOf } from '../../turn/request/labelled-tool.ts';
import type { TurnTool } from '../../turn/request/tool.ts';
import type { ToolErrorCategory } from '../../turn/tool-result.ts';
import { failureOfStatus } from '../http/status.ts';
import { type Attempt, type AttemptFailure, type FailedAttempt, failedAttempt } from '../run/attempt.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { callOnce, type SentCall } from './call-once.ts';
import { type KeptConnection, requireSession, type Work } from './connection.ts';
import { type McpError, readMcpError, SessionForgotten } from './error.ts';
import type { ToolListing } from './listing.ts';
import { findMisfit, type OutputMisfit } from './output-misfit.ts';
import { coversStructuredContent, outputOfMcp, renderMcpResult } from './result.ts';

/** One attempt of a tool of an MCP server. `progress` receives the reports of the running tool. */
export type McpRequest = {
  tool: TurnTool;
  args: Record<string, unknown>;
  idempotencyKey: string;
  turnId: string;
  trace?: TraceHeaders | undefined;
  project: string;
  timeoutMs: number;
  signal: AbortSignal;
  progress(value: unknown): void;
  slot?: AnswerSlot | undefined;
};

/** `askedMs` is the remaining pause that the server asked for. */
type Server = {
  name: string;
  connection: KeptConnection;
  askedMs: () => number;
  listing: Pick<ToolListing, 'list' | 'known'>;
};

/** A request with the signal of its timeout, and a signal for either end of the call: the timeout or an abort. */
type BoundRequest = McpRequest & { timeout: AbortSignal; ended: AbortSignal };

/**
 * Calls a tool once. Connecting, lists and checks count toward `timeoutMs`. An aborted call is cancelled at the
 * server. Rejects with the reason of `signal` if `signal` aborts before the server has answered.
 */
export async function executeMcp(server: Server, request: McpRequest): Promise<Attempt> {
  request.signal.throwIfAborted();
  const timeout = new AbortController();
  const stopTimeout = startTimeout(request.timeoutMs, request.slot, (slow) => timeout.abort({ slow }));
  const ended = AbortSignal.any([request.signal, timeout.signal]);
  try {
    return await attemptCall(server, { ...request, timeout: timeout.signal, ended });
  } finally {
    stopTimeout();
  }
}

async function attemptCall(server: Server, request: BoundRequest): Promise<Attempt> {
  const tool = await findRemoteName(request, server);
  const answer = await callTool(tool, server, request);
  if ('kind' in answer) return answer;
  const { project, ended: signal } = request;
  return readResult(answer.result, await findMisfit(answer.result, { tool, listing: server.listing, project, signal }));
}

async function callTool(
  tool: string,
  { name, connection, askedMs }: Server,
  request: BoundRequest,
): Promise<FailedAttempt | { result: CallToolResult }> {
  const { timeoutMs, timeout, ended } = request;
  const slot = { take: async () => request.slot?.take(name), arrived: () => request.slot?.arrived() };
  const sent: SentCall = { isSent: false, slot };
  const call: Work<CallToolResult> = ({ client }) =>
    callOnce(sent, () => client.callTool(paramsOf(tool, request), optionsOf(tool, request)));
  try {
    if (request.tool.effect === 'at_most_once') await renewSession(connection, ended);
    return { result: await connection.runOnce(call, ended) };
  } catch (error) {
    request.signal.throwIfAborted();
    const failure = timeout.aborted ? { kind: 'timeout' as const, ...timeout.reason } : readMcpError(error);
    return explainMcpFailure(failure, { server: name, sent: sent.isSent, timeoutMs, askedMs: askedMs() });
  } finally {
    request.slot?.arrived();
  }
}

/** Detects a forgotten session before a call that may run only once, and renews the session. */
async function renewSession(connection: KeptConnection, signal: AbortSignal): Promise<void> {
  try {
    await connection.run((open) => requireSession(open, signal), signal);
  } catch (error) {
    // A server that refuses a ping in a new session does not support pings.
    if (!(error instanceof SessionForgotten)) throw error;
  }
}

/**
 * Returns the parameters of a call, with the idempotency key and the trace for servers that read them. The key is the
 * same for every attempt.
 */
function paramsOf(name: string, { args, idempotencyKey, turnId, trace }: McpRequest) {
  const own = { 'pawl/idempotency_key': idempotencyKey, 'pawl/turn_id': turnId };
  return { name, arguments: args, _meta: { ...own, ...trace } };
}

const AN_HOUR_MS = 3_600_000;

/**
 * Returns the options of a call. Our timeout ends the call before the SDK's. The SDK reads from `inputSchema` which
 * arguments are headers. It gets no output schema, as `output-misfit.ts` checks the result within bounds.
 */
function optionsOf(name: string, { tool, timeoutMs, progress, ended }: BoundRequest): CallToolRequestOptions {
  const inputSchema = { ...tool.parameters, type: 'object' as const };
  return {
    signal: ended,
    timeout: timeoutMs + AN_HOUR_MS,
    onprogress: progress,
    toolDefinition: { name, inputSchema },
  };
}

const LIST_TIMEOUT_MS = 2_000;

/** Finds the server's own name of a tool. A caller's definition lacks it if the server was away at the start. */
async function findRemoteName({ tool, ended }: BoundRequest, { name: server, listing }: Server): Promise<string> {
  if (tool.remoteName !== undefined) return tool.remoteName;
  const full = tool.name.startsWith(`${server}__`) ? tool.name : `${server}__${tool.name}`;
  const find = () => listing.known().tools.find(({ name }) => name === full);
  if (mayBeDerived(full) && !find()) await unlessAborted(listing.list({ withinMs: LIST_TIMEOUT_MS }), ended);
  return remoteNameOf(find() ?? { name: full }, server);
}

function readResult(result: CallToolResult, misfit: OutputMisfit | null): Attempt {
  if (misfit) return failedAttempt({ ...UNKNOWN, ...misfit });
  if (!result.isError) return { kind: 'answered', output: outputOfMcp(result), cut: false };
  const { content, structuredContent } = result;
  const message = renderMcpResult({ content }) || 'The tool reported an error and did not say which.';
  const details = coversStructuredContent(content, structuredContent)
    ? {}
    : Object.fromEntries(Object.entries(structuredContent ?? {}));
  return failedAttempt({ ...UNKNOWN, message, details });
}

/** The server, whether the call's request had left, the timeout, and the pause that the server asks for. */
export type McpFailure = { server: string; sent: boolean; timeoutMs: number; askedMs: number };

/** Explains a failed attempt. If the request never left, the tool was not called. */
function explainMcpFailure(error: McpError, context: McpFailure): FailedAttempt {
  const explained = explanationOf(error, context);
  const afterMs = error.kind === 'status' ? context.askedMs : 0;
  return failedAttempt({ ...explained, afterMs, certainty: context.sent ? explained.certainty : 'never-reached' });
}

function explanationOf(error: McpError, { server, sent, timeoutMs, askedMs }: McpFailure): AttemptFailure {
  const name = `The MCP server ${JSON.stringify(server)}`;
  switch (error.kind) {
    case 'refused':
      return { ...refusal(error), details: { code: error.code } };
    case 'status':
      return statusFailure(error, name, askedMs);
    case 'timeout': {
      const slow = error.slow ? `${name} ${error.slow}.` : `The tool did not answer within ${timeoutMs} ms.`;
      const message = sent ? slow : `${name} was not there in time.`;
      return { category: 'execution_timeout', message, certainty: 'lost' };
    }
    case 'unreadable': {
      const message = `${name} sent an answer that cannot be used (${error.code}).`;
      return { ...UNKNOWN, message };
    }
    case 'too-large':
      return { ...UNKNOWN, message: `${name} answered with ${error.bound}.` };
    case 'forgotten': {
      const message = `${name} no longer knows the session in which it was called.`;
      return { category: 'network_error', message, certainty: 'lost' };
    }
    case 'broken': {
      const why = error.code ? ` (${error.code})` : '';
      const isLost = sent && (error.wasConnected || !NEVER_CONNECTED.test(error.code ?? ''));
      const message = isLost ? `${name} was lost before it answered${why}.` : `${name} cannot be reached${why}.`;
      return { category: 'network_error', message, certainty: isLost ? 'lost' : 'never-reached' };
    }
  }
}

function statusFailure(
  { status, text }: Extract<McpError, { kind: 'status' }>,
  name: string,
  askedMs: number,
): AttemptFailure {
  const message = `${name} answered ${status}${text ? `: ${text}` : '.'}`;
  const pause = askedMs > 0 ? { retry_after_seconds: Math.ceil(askedMs / 1000) } : {};
  return { message, details: { status, ...pause }, ...(failureOfStatus(status) ?? UNKNOWN) };
}

const UNKNOWN = { category: 'unknown', certainty: 'answered' } as const;

const NEVER_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** Classifies a refusal. MCP has one code for wrong arguments and unknown tools, and only the message differs. */
function refusal({ code, message }: Extract<McpError, { kind: 'refused' }>): Omit<AttemptFailure, 'details'> {
  if (code === INTERNAL_ERROR) return { category: 'unknown', message, certainty: 'broke' };
  return { category: categoryOf(code, message), message, certainty: 'answered' };
}

function categoryOf(code: number, message: string): ToolErrorCategory {
  if (code === METHOD_NOT_FOUND) return 'resource_not_found';
  if (code !== INVALID_PARAMS) return 'unknown';
  return /\bunknown tool\b|\btool\b.*\bnot found\b/i.test(message) ? 'resource_not_found' : 'invalid_arguments';
}
