import type { TraceHeaders } from '#core/trace-context.ts';
import type { Turn } from '#core/turn/turn.ts';

/** The turn of a trace, with the stored part of the trace. */
export type TracedTurn = Pick<Turn, 'id' | 'trace'>;

/** The attributes of a span. Null and undefined values are omitted. */
export type SpanAttributes = Record<string, string | number | boolean | string[] | null | undefined>;

/**
 * A finished span of a turn, or of a part of its work. Its id is derived, so that reporters need not know of each
 * other. Times are in milliseconds since 1970.
 */
export type TurnSpan = {
  turn: TracedTurn;
  name: string;
  kind: 'internal' | 'client';
  id: string;
  /** The parent span. Null for the span of the turn, which belongs to the request that started the turn. */
  parentId: string | null;
  startedAt: number;
  endedAt: number;
  attributes: SpanAttributes;
  /** Ids of spans of the same trace. */
  links: string[];
  /** The code of the failure, or null. */
  errorType: string | null;
};

/** The tracer to which a process reports the spans of turns. Reporting never waits and never fails. */
export type Tracer = {
  /** Whether spans are sent. If not, callers need not make spans. */
  isOn: boolean;
  /** Whether spans contain prompts, answers, arguments and results. */
  withContent: boolean;
  report(span: TurnSpan): void;
  /** Returns the headers of a request inside a span. Without an export, returns the headers of the turn itself. */
  headersWithin(turn: TracedTurn, spanId: () => string): TraceHeaders;
  /** Sends the remaining spans, within a time limit. */
  close(): Promise<void>;
};

/** Ignores spans, and passes the trace context of a turn on unchanged. */
export const noTrace: Tracer = {
  isOn: false,
  withContent: false,
  report: () => {},
  headersWithin: ({ trace }) => headersAsGiven(trace),
  close: async () => {},
};

/** Returns the trace context that started a turn. */
function headersAsGiven(trace: TracedTurn['trace']): TraceHeaders {
  const { traceparent, tracestate } = trace ?? {};
  return { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) };
}
