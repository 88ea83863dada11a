import { setTimeout as wait } from 'node:timers/promises';
import { exponentialBackoffMs, jitterMs } from '../../backoff.ts';
import type { AnswerSlot } from '../../bounds/answer-slots.ts';
import { PROGRESS_BOUNDS } from '../../bounds/progress-bounds.ts';
import { startRate } from '../../bounds/rate.ts';
import type { Egress } from '../../egress/open.ts';
import type { Project } from '../../project.ts';
import type { Redact } from '../../redact.ts';
import type { TraceHeaders } from '../../trace-context.ts';
import type { NewBlob } from '../../turn/parts/take-inline.ts';
import type { RateLimit, Tool, TurnTool } from '../../turn/request/tool.ts';
import { errorResult, type ToolError, type ToolResult } from '../../turn/tool-result.ts';
import { cleanError, cleanJson } from '../clean.ts';
import { isPartsResult, type PartsResult, ToolFailed } from '../define/tool.ts';
import { executeHttp } from '../http/execute.ts';
import { fillHeaders } from '../http/headers.ts';
import type { ToolSecrets } from '../http/secrets.ts';
import type { McpServers } from '../mcp/servers.ts';
import type { ToolRegistry } from '../registry.ts';
import { type Attempt, type FailedAttempt, failedAttempt, lastError, mayRepeat } from './attempt.ts';
import { executeServer } from './execute-server.ts';
import { renderOutput } from './render-output.ts';
import { renderParts, takeResultParts } from './render-parts.ts';

/** A call of a known tool with valid arguments. `idempotencyKey` is the same for every run of the call. */
export type PreparedCall = {
  tool: TurnTool;
  args: Record<string, unknown>;
  turnId: string;
  project: Pick<Project, 'name' | 'secrets'>;
  idempotencyKey: string;
  trace?: TraceHeaders;
};

/** The dependencies of running calls. `outputLimit` is in bytes (PAWL_TOOL_OUTPUT_LIMIT). */
export type CallContext = {
  registry: ToolRegistry;
  mcp: Pick<McpServers, 'server'>;
  egress: Egress;
  outputLimit: number;
  toolSecrets: ToolSecrets;
  redact: Redact;
  signal: AbortSignal;
  progress(value: unknown): void;
  slot?: AnswerSlot;
  /** Signs the body of an HTTP tool's request, for each attempt. */
  signHeaders?: (body: string) => Record<string, string>;
  /** Books a start of a tool with a rate limit. Returns the milliseconds until the start. */
  takeSlot?: (slot: Slot) => Promise<number>;
  /** Runs before each attempt, counted from 1. If it rejects, the tool is not called, and `runCall` rejects too. */
  beforeAttempt?: (attempt: number) => Promise<void>;
};

type Rate = { max: number; perSeconds: number };

/** A start within `maxWaitMs`, of at most `max` in any `perSeconds`, and within the operator's rate too. */
export type Slot = Rate & { operatorRate?: Rate | undefined; maxWaitMs: number };

/** The result of a call, the whole output if any, and the blobs of the result. */
export type CallOutcome = { result: ToolResult; full: string | null; blobs?: NewBlob[] };

/** The longest wait. A longer wait would block a worker, so the model reads the requested time instead. */
const LONGEST_WAIT_MS = 60_000;
const JITTER = [0.5, 1] as const;

/** Runs one call with all its attempts. Rejects only with the reason of `signal`, or as `beforeAttempt` does. */
export async function runCall(call: PreparedCall, context: CallContext): Promise<CallOutcome> {
  const { attempt, attempts, startedAt } = await tryUntilDone(call, context);
  const durationMs = startedAt === null ? 0 : Math.round(performance.now() - startedAt);
  const spent = { duration_ms: durationMs, attempts };
  if (attempt.kind === 'failed') return failedOutcome(lastError(attempt, call.tool.effect), spent, context);
  return answeredOutcome(attempt, spent, context);
}

/** `startedAt` is the first attempt's start, so a call's duration excludes its wait for a rate limit. */
type Tries = { attempt: Attempt; attempts: number; startedAt: number | null };

async function tryUntilDone(call: PreparedCall, context: CallContext): Promise<Tries> {
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
    context.slot?.release();
    await waitFor(waitMs, context.signal);
  }
}

/** Waits for a rate limit at most as long as a call of the tool may take. Refuses a longer wait. */
async function waitForSlot({ tool }: PreparedCall, { takeSlot, signal }: CallContext): Promise<FailedAttempt | null> {
  const { rate_limit: limit, timeout_ms: maxWaitMs, operator, name } = tool;
  if (limit === null || !takeSlot) return null;
  const operatorRate = operator?.rate_limit;
  const waitMs = await takeSlot({ ...rateOf(limit), operatorRate: operatorRate && rateOf(operatorRate), maxWaitMs });
  if (waitMs <= maxWaitMs) {
    await waitFor(waitMs, signal);
    return null;
  }
  const rates = [limit, ...(operatorRate ? [operatorRate] : [])].map(
    ({ max, per_seconds }) => `${max} times in ${per_seconds} s`,
  );
  const message = `${name} may be called ${rates.join(', at most ')}, and other calls are ahead of this one.`;
  return notSent('rate_limited', message, { retry_after_seconds: Math.ceil(waitMs / 1000) });
}

function rateOf({ max, per_seconds: perSeconds }: RateLimit): Rate {
  return { max, perSeconds };
}

function execute(call: PreparedCall, context: CallContext): Promise<Attempt> {
  const { execution, timeout_ms: timeoutMs } = call.tool;
  const { turnId, idempotencyKey, args, trace } = call;
  const { signal, signHeaders } = context;
  const progress = boundProgress(context.redact, context.progress);
  const request = { turnId, idempotencyKey, args, trace, timeoutMs, signal };
  switch (execution?.kind) {
    case 'http': {
      const { url, headers } = execution;
      const filled = fillHeaders(context.toolSecrets, { url, headers, project: call.project });
      // The operator may have removed a secret since the turn was accepted.
      if (!filled.ok) return Promise.resolve(notSent('permission_denied', filled.message));
      const { slot } = context;
      return executeHttp(context.egress, { ...request, url, headers: filled.headers, signHeaders, slot });
    }
    case 'server':
    case undefined: {
      const tool = context.registry.find(call.tool.name);
      if (!tool) return Promise.resolve(unavailable(call.tool.name, 'no server-side tool of that name is loaded here'));
      return executeServer(tool, { ...request, progress });
    }
    case 'mcp': {
      const server = context.mcp.server(execution.server);
      if (!server) return Promise.resolve(unavailable(call.tool.name, 'its MCP server is not configured here'));
      const project = call.project.name;
      return server.call({ ...request, tool: call.tool, project, progress, slot: context.slot });
    }
    case 'client':
      return Promise.resolve(unavailable(call.tool.name, 'tools of kind "client" are not run here'));
  }
}

function unavailable(name: string, why: string): Attempt {
  return notSent('resource_not_found', `${name} cannot be called: ${why}.`);
}

function notSent(...problem: Parameters<typeof cleanError>): FailedAttempt {
  return failedAttempt({ ...cleanError(...problem), certainty: 'never-reached' });
}

/** Returns the milliseconds until the next attempt, by backoff or on the tool's request, or null without an attempt. */
function waitBefore(attempt: FailedAttempt, attempts: number, { effect, retry }: Tool): number | null {
  if (attempts >= retry.max_attempts || !mayRepeat(attempt, effect)) return null;
  if (attempt.afterMs > LONGEST_WAIT_MS) return null;
  const backoffMs = exponentialBackoffMs(attempts, { firstMs: retry.backoff_ms, longestMs: LONGEST_WAIT_MS });
  return Math.max(attempt.afterMs, jitterMs(backoffMs, JITTER));
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
    if (isPartsResult(attempt.output)) return partsOutcome(attempt.output, spent, context);
    const rendered = renderOutput(attempt.output, context.outputLimit, context.redact);
    const truncated = rendered.truncated || attempt.cut;
    const kept = rendered.partial || attempt.cut ? { partial: true as const } : {};
    const shown = { content: rendered.content, truncated, ...kept, ...spent };
    return { result: { status: 'success', ...shown, error: null, cached: false }, full: rendered.full };
  } catch (error) {
    if (error instanceof ToolFailed) return failedOutcome(error, spent, context);
    throw error;
  }
}

function partsOutcome({ parts }: PartsResult, spent: Spent, { outputLimit, redact }: CallContext): CallOutcome {
  const taken = takeResultParts(parts);
  const { full, truncated, ...shown } = renderParts(taken.parts, outputLimit, redact);
  const result = { status: 'success' as const, ...shown, error: null, truncated, cached: false, ...spent };
  return { result, full, blobs: taken.blobs };
}

function failedOutcome({ category, message, details }: ToolError, spent: Spent, { redact }: CallContext): CallOutcome {
  return { result: errorResult(cleanError(category, message, details, redact), spent), full: null };
}

/** Passes on progress within `PROGRESS_BOUNDS`, without known secrets. Throws as `JSON.stringify` does. */
function boundProgress(redact: Redact, pass: (value: unknown) => void): (value: unknown) => void {
  const rate = startRate(PROGRESS_BOUNDS);
  return (value) => {
    if (!rate.admits()) return;
    const isLarge = (JSON.stringify(value) ?? '').length > PROGRESS_BOUNDS.length;
    pass(isLarge ? { left_out: 'the progress had more than 64 KiB' } : cleanJson(value, redact));
  };
}
