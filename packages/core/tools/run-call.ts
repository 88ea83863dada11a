import { setTimeout as wait } from 'node:timers/promises';
import type { Gate } from '../outbound/open-gate.ts';
import type { Tool } from '../turn/tool.ts';
import { errorResult, type ToolError, type ToolResult } from '../turn/tool-result.ts';
import { type Attempt, type FailedAttempt, lastError, mayRepeat } from './attempt.ts';
import { cleanError } from './clean-error.ts';
import { ToolFailed } from './define-tool.ts';
import { executeHttp } from './execute-http.ts';
import { executeServer } from './execute-server.ts';
import { renderOutput } from './render-output.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** A call whose tool is known and whose arguments fit. The key stays the same however often the call is run. */
export type PreparedCall = {
  tool: Tool;
  args: Record<string, unknown>;
  turnId: string;
  idempotencyKey: string;
};

/** What running calls takes. `outputLimit` is in bytes (PAWL_TOOL_OUTPUT_LIMIT). */
export type CallContext = {
  registry: ToolRegistry;
  gate: Gate;
  outputLimit: number;
  signal: AbortSignal;
  progress(value: unknown): void;
  /** Signs the body of an HTTP tool's request, for each try anew. */
  signHeaders?: (body: string) => Record<string, string>;
  /** Asked right before each try, from 1; where it rejects nothing is called, and `runCall` rejects the same way. */
  beforeAttempt?: (attempt: number) => Promise<void>;
};

/** The answer to a call, and the whole output where there is one. */
export type CallOutcome = { result: ToolResult; full: string | null };

/** Longer waits are not worth a worker: the model is told how long the tool asks to be left alone. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Runs one call with the tries its effect allows. Whatever the tool does becomes an answer.
 * Rejects only with the reason of `signal`, when the caller aborts it, or as `beforeAttempt` does.
 */
export async function runCall(call: PreparedCall, context: CallContext): Promise<CallOutcome> {
  const startedAt = performance.now();
  const { attempt, attempts } = await tryUntilDone(call, context);
  const spent = { duration_ms: Math.round(performance.now() - startedAt), attempts };
  if (attempt.kind === 'failed') return failedOutcome(lastError(attempt, call.tool.effect), spent);
  return answeredOutcome(attempt, context.outputLimit, spent);
}

async function tryUntilDone(call: PreparedCall, context: CallContext): Promise<{ attempt: Attempt; attempts: number }> {
  for (let attempts = 1; ; attempts += 1) {
    await context.beforeAttempt?.(attempts);
    const attempt = await execute(call, context);
    if (attempt.kind === 'answered') return { attempt, attempts };

    const waitMs = waitBefore(attempt, attempts, call.tool);
    if (waitMs === null) return { attempt, attempts };
    await waitFor(waitMs, context.signal);
  }
}

function execute(call: PreparedCall, context: CallContext): Promise<Attempt> {
  const { execution, timeout_ms: timeoutMs } = call.tool;
  const { turnId, idempotencyKey, args } = call;
  const { signal, progress, signHeaders } = context;
  const request = { turnId, idempotencyKey, args, timeoutMs, signal };
  switch (execution?.kind) {
    case 'http': {
      const { url, headers } = execution;
      return executeHttp(context.gate, { ...request, url, headers, signHeaders });
    }
    case 'server':
    case undefined: {
      const tool = context.registry.find(call.tool.name);
      if (!tool) return Promise.resolve(notHere(call.tool.name, 'no server-side tool of that name is loaded here'));
      return executeServer(tool, { ...request, progress: (value) => progress(value) });
    }
    case 'client':
    case 'mcp':
      return Promise.resolve(notHere(call.tool.name, `tools of kind "${execution.kind}" are not run here`));
  }
}

function notHere(name: string, why: string): Attempt {
  const error = cleanError('resource_not_found', `${name} cannot be called: ${why}.`);
  return { kind: 'failed', error, mayHelp: false, afterMs: 0, certainty: 'never-reached' };
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

function answeredOutcome(attempt: Extract<Attempt, { kind: 'answered' }>, limit: number, spent: Spent): CallOutcome {
  try {
    const { content, truncated, full } = renderOutput(attempt.output, limit);
    const shown = { content, truncated: truncated || attempt.cut, ...spent };
    return { result: { status: 'success', error: null, cached: false, ...shown }, full };
  } catch (error) {
    if (error instanceof ToolFailed) return failedOutcome(cleanError(error.category, error.message), spent);
    throw error;
  }
}

function failedOutcome(error: ToolError, spent: Spent): CallOutcome {
  return { result: errorResult(error, spent), full: null };
}
