/** What a span is about. `pawl.checkpoint` is one write of a verb, `pawl.delivery` one attempt at a webhook. */
export type SpanName = 'pawl.job' | 'pawl.model_request' | 'pawl.tool_call' | 'pawl.checkpoint' | 'pawl.delivery';

/** Ids and names only: never a text of a turn, a header or a secret. What is null is left out. */
export type SpanAttributes = {
  'pawl.turn_id'?: string | null;
  'pawl.step'?: string;
  'pawl.generation'?: number;
  'pawl.round'?: number;
  'pawl.model'?: string;
  'pawl.tool'?: string;
  'pawl.tool_call_id'?: string;
  'pawl.delivery_id'?: string;
  'pawl.event_type'?: string;
  /** Of a delivery, from 1. */
  'pawl.attempt'?: number;
  /** Of a job: `run-round`, `run-tool-batch` or `deliver-webhook`. */
  'pawl.job'?: string;
  /** The function of packages/core/checkpoint that writes. */
  'pawl.verb'?: string;
};

/**
 * Where a process reports what it does: one span around each job, model request, tool call, checkpoint and delivery. A span
 * runs what it is given, hands on its result or its error, and lies within the span that is open where it starts.
 *
 * OpenTelemetry takes it as it is:
 *
 *     span: (name, attributes, run) =>
 *       tracer.startActiveSpan(name, { attributes }, async (span) => {
 *         try {
 *           return await run();
 *         } catch (error) {
 *           span.recordException(error);
 *           span.setStatus({ code: SpanStatusCode.ERROR });
 *           throw error;
 *         } finally {
 *           span.end();
 *         }
 *       }),
 */
export type Tracer = {
  span<Result>(name: SpanName, attributes: SpanAttributes, run: () => Promise<Result>): Promise<Result>;
};

/** Reports nothing. */
export const noTrace: Tracer = { span: (_name, _attributes, run) => run() };
