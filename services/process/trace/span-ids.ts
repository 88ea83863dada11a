import { createHash } from 'node:crypto';
import { parseTraceparent } from '#core/trace-context.ts';
import type { TracedTurn } from './tracer.ts';

/** Returns the trace of the request that started the turn, or else a trace of the turn. */
export function traceIdOf({ id, trace }: TracedTurn): string {
  return parseTraceparent(trace?.traceparent ?? '')?.traceId ?? digest(16, 'trace', id);
}

/** Returns the span of a turn. Each reopening has its own span. */
export function turnSpanId({ id, trace }: TracedTurn, reopened = trace?.reopened ?? 0): string {
  return digest(8, 'invoke_agent', id, reopened);
}

/**
 * Returns the span of a round's attempt. The round stores the start time, so the worker that runs its calls can link
 * to the span.
 */
export function chatSpanId({ id }: TracedTurn, { round, startedAt }: { round: number; startedAt: number }): string {
  return digest(8, 'chat', id, round, startedAt);
}

/** Returns the span of a call. All runs share it, since one result is stored. */
export function toolSpanId({ id }: TracedTurn, { round, index }: { round: number; index: number }): string {
  return digest(8, 'execute_tool', id, round, index);
}

function digest(bytes: number, ...parts: (string | number)[]): string {
  return createHash('sha256')
    .update(parts.join('\n'))
    .digest('hex')
    .slice(0, 2 * bytes);
}
