import { setTimeout as wait } from 'node:timers/promises';
import type { Gate } from '../outbound/open-gate.ts';
import type { Redact } from '../redact.ts';
import type { RateLimit, Tool, TurnTool } from '../turn/tool.ts';
import { errorResult, type ToolError, type ToolResult } from '../turn/tool-result.ts';
import { type Attempt, type FailedAttempt, lastError, mayRepeat } from './attempt.ts';
import { cleanError } from './clean-error.ts';
import { cleanJson } from './clean-json.ts';
import { ToolFailed } from './define-tool.ts';
import { executeHttp } from './execute-http.ts';
import { executeServer } from './execute-server.ts';
import { fillHeaders } from './fill-headers.ts';
import type { McpServers } from './mcp/open-mcp-servers.ts';
import { renderOutput } from './render-output.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type { ToolSecrets } from './tool-secrets.ts';

/** A call whose tool is known and whose arguments fit. The key stays the same however often the call is run. */
export type PreparedCall = {
  tool: TurnTool;
  args: Record<string, unknown>;
  turnId: string;
  project: string;
  idempotencyKey: string;
};

/** What running calls takes. `outputLimit` is in bytes (PAWL_TOOL_OUTPUT_LIMIT). */
export type CallContext = {
  registry: ToolRegistry;
  mcp: Pick<McpServers, 'server'>;
  gate: Gate;
  outputLimit: number;
  toolSecrets: ToolSecrets;
  redact: Redact;
  signal: AbortSignal;
  progress(value: unknown): void;
  /** Signs the body of an HTTP tool's request, for each try anew. */
  signHeaders?: (body: string) => Record<string, string>;
  /** Books a start of a tool with a rate limit; answers how many milliseconds it lies ahead. */
  takeSlot?: (slot: Slot) => Promise<number>;
  /** Asked right before each try, from 1; where it rejects nothing is called, and `runCall` rejects the same way. */
  beforeAttempt?: (attempt: number) => Promise<void>;
};

type Rate = { max: number; perSeconds: number };

/** A start within `patienceMs`, of at most `max` in any `perSeconds`, and under the rate `beside` it. */
export type Slot = Rate & { beside?: Rate | undefined; patienceMs: number };

/** The answer to a call, and the whole output where there is one. */
export type CallOutcome = { result: ToolResult; full: string | null };

/** Longer waits are not worth a worker: the model is told how long the tool asks to be left alone. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Runs one call with the tries its effect allows. Whatever the tool does becomes an answer, without a known secret in it.
 * Rejects only with the reason of `signal`, when the caller aborts it, or as `beforeAttempt` does.
 */
export async function runCall(call: PreparedCall, context: CallContext): Promise<CallOutcome> {
  const { attempt, attempts, startedAt } = await tryUntilDone(call, context);
  const durationMs = startedAt === null ? 0 : Math.round(performance.now() - startedAt);
  const spent = { duration_ms: durationMs, attempts };
  if (attempt.kind === 'failed') return failedOutcome(lastError(attempt, call.tool.effect), spent, context);
  return answeredOutcome(attempt, spent, context);
}

/** `startedAt` is when it was first tried: what a call waits for its start is not what it takes. */
type Tried = { attempt: Attempt; attempts: number; startedAt: number | null };

async function tryUntilDone(call: PreparedCall, context: CallContext): Promise<Tried> {
  let startedAt: number | null = null;
  for (let attempts = 1; ; attempts += 1) {
    const refusal = await waitForSlot(call, context);
    if (refusal) return { attempt: refusal, attempts: attempts - 1, startedAt };
    await context.beforeAttempt?.(attempts);
    startedAt ??= performance.now();
    const attempt = await execute(call, context);
    if (attempt.kind === 'answered') return { attempt, attempts, startedAt };

    const waitMs = waitBefore(attempt, attempts, call.tool);
    if (waitMs === null) return { attempt, attempts, startedAt };
    await waitFor(waitMs, context.signal);
  }
}

/** A tool with a rate limit is waited for as long as a call of it may take; what would take longer is refused. */
async function waitForSlot({ tool }: PreparedCall, { takeSlot, signal }: CallContext): Promise<FailedAttempt | null> {
  const { rate_limit: limit, timeout_ms: patienceMs, operator, name } = tool;
  if (limit === null || !takeSlot) return null;
  const beside = operator?.rate_limit;
  const waitMs = await takeSlot({ ...rateOf(limit), beside: beside && rateOf(beside), patienceMs });
  if (waitMs <= patienceMs) {
    await waitFor(waitMs, signal);
    return null;
  }
  const rates = [limit, ...(beside ? [beside] : [])].map(({ max, per_seconds }) => `${max} times in ${per_seconds} s`);
  const message = `${name} may be called ${rates.join(', at most ')}, and others are before you.`;
  const error = cleanError('rate_limited', message, { retry_after_seconds: Math.ceil(waitMs / 1000) });
  return { kind: 'failed', error, afterMs: 0, certainty: 'never-reached' };
}

function rateOf({ max, per_seconds: perSeconds }: RateLimit): Rate {
  return { max, perSeconds };
}

function execute(call: PreparedCall, context: CallContext): Promise<Attempt> {
  const { execution, timeout_ms: timeoutMs } = call.tool;
  const { turnId, idempotencyKey, args } = call;
  const { signal, signHeaders } = context;
  const progress = (value: unknown) => context.progress(cleanJson(value, context.redact));
  const request = { turnId, idempotencyKey, args, timeoutMs, signal };
  switch (execution?.kind) {
    case 'http': {
      const { url, headers } = execution;
      const filled = fillHeaders(context.toolSecrets, { url, headers, project: call.project });
      if (!filled.ok) return Promise.resolve(notSent(filled.message));
      return executeHttp(context.gate, { ...request, url, headers: filled.headers, signHeaders });
    }
    case 'server':
    case undefined: {
      const tool = context.registry.find(call.tool.name);
      if (!tool) return Promise.resolve(notHere(call.tool.name, 'no server-side tool of that name is loaded here'));
      return executeServer(tool, { ...request, progress });
    }
    case 'mcp': {
      const server = context.mcp.server(execution.server);
      if (!server) return Promise.resolve(notHere(call.tool.name, 'its MCP server is not configured here'));
      return server.call({ ...request, tool: call.tool, progress });
    }
    case 'client':
      return Promise.resolve(notHere(call.tool.name, 'tools of kind "client" are not run here'));
  }
}

function notHere(name: string, why: string): Attempt {
  const error = cleanError('resource_not_found', `${name} cannot be called: ${why}.`);
  return { kind: 'failed', error, afterMs: 0, certainty: 'never-reached' };
}

/** The operator may have taken a secret back since the turn was accepted. */
function notSent(message: string): Attempt {
  const error = cleanError('permission_denied', message);
  return { kind: 'failed', error, afterMs: 0, certainty: 'never-reached' };
}

/** Milliseconds until the next try, or null where there is none: exponential backoff with jitter, or longer if asked. */
function waitBefore(attempt: FailedAttempt, attempts: number, { effect, retry }: Tool): number | null {
  if (attempts >= retry.max_attempts || !mayRepeat(attempt, effect)) return null;
  if (attempt.afterMs > LONGEST_WAIT_MS) return null;
  const backoffMs = Math.min(retry.backoff_ms * 2 ** (attempts - 1), LONGEST_WAIT_MS);
  return Math.max(attempt.afterMs, backoffMs * (0.5 + Math.random() / 2));
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

type Spent = { duration_ms: number; attempts: number };

function answeredOutcome(
  attempt: Extract<Attempt, { kind: 'answered' }>,
  spent: Spent,
  context: CallContext,
): CallOutcome {
  try {
    const rendered = renderOutput(attempt.output, context.outputLimit, context.redact);
    const truncated = rendered.truncated || attempt.cut;
    const kept = rendered.partial || attempt.cut ? { partial: true as const } : {};
    const shown = { content: rendered.content, truncated, ...kept, ...spent };
    return { result: { status: 'success', error: null, cached: false, ...shown }, full: rendered.full };
  } catch (error) {
    if (error instanceof ToolFailed) return failedOutcome(error, spent, context);
    throw error;
  }
}

function failedOutcome({ category, message, details }: ToolError, spent: Spent, { redact }: CallContext): CallOutcome {
  return { result: errorResult(cleanError(category, message, details, redact), spent), full: null };
}
