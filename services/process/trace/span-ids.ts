import { createHash } from 'node:crypto';
import { parseTraceparent } from '#core/trace-context.ts';
import type { TracedTurn } from './tracer.ts';

/** The trace of a turn: that of the request which started it, else one of its own. */
export function traceIdOf({ id, trace }: TracedTurn): string {
  return parseTraceparent(trace?.traceparent ?? '')?.traceId ?? digest(16, 'trace', id);
}

/** The turn's own span; a turn that was reopened has one for each time. */
export function turnSpanId({ id, trace }: TracedTurn, reopened = trace?.reopened ?? 0): string {
  return digest(8, 'invoke_agent', id, reopened);
}

/** One try of a round, by when it began: that is kept with the round, so the worker that runs its calls can link to it. */
export function chatSpanId({ id }: TracedTurn, { round, startedAt }: { round: number; startedAt: number }): string {
  return digest(8, 'chat', id, round, startedAt);
}

/** A call, however often it is run: one result of it is kept. */
export function toolSpanId({ id }: TracedTurn, { round, index }: { round: number; index: number }): string {
  return digest(8, 'execute_tool', id, round, index);
}

function digest(bytes: number, ...parts: (string | number)[]): string {
  return createHash('sha256')
    .update(parts.join('\n'))
    .digest('hex')
    .slice(0, 2 * bytes);
}
