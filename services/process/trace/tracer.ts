import type { TraceHeaders } from '#core/trace-context.ts';
import type { Turn } from '#core/turn/turn.ts';

/** What a trace is known by: the turn, and what was kept of its trace. */
export type TracedTurn = Pick<Turn, 'id' | 'trace'>;

/** What attributes of spans may be; what is null or undefined is left out. */
export type SpanAttributes = Record<string, string | number | boolean | string[] | null | undefined>;

/**
 * A span that is over: of the turn itself, or of what lies within it. Its id is derived, so that who reports it need not know who
 * else has reported what. Times are in milliseconds since 1970.
 */
export type TurnSpan = {
  turn: TracedTurn;
  name: string;
  kind: 'internal' | 'client';
  id: string;
  /** The span it lies in; null for the turn's own, which lies in that of the request that started the turn. */
  parentId: string | null;
  startedAt: number;
  endedAt: number;
  attributes: SpanAttributes;
  /** Ids of spans of the same trace. */
  links: string[];
  /** Why it failed, as a code; null where it did not. */
  errorType: string | null;
};

/** Where a process reports the spans of turns. Reporting never waits, and never fails. */
export type Tracer = {
  /** Whether spans go anywhere: where not, none need be made. */
  isOn: boolean;
  /** Whether spans carry what was said: prompts, answers, arguments and results. */
  withContent: boolean;
  report(span: TurnSpan): void;
  /** The headers of a request that is made within a span; where nothing is exported, those that the turn came with. */
  headersWithin(turn: TracedTurn, spanId: () => string): TraceHeaders;
  /** Sends what is left, for a moment at most. */
  close(): Promise<void>;
};

/** Reports nothing, and hands on the trace of a turn as it came. */
export const noTrace: Tracer = {
  isOn: false,
  withContent: false,
  report: () => {},
  headersWithin: ({ trace }) => headersAsGiven(trace),
  close: async () => {},
};

/** The trace context that a turn was started with. */
function headersAsGiven(trace: TracedTurn['trace']): TraceHeaders {
  const { traceparent, tracestate } = trace ?? {};
  return { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) };
}
