/** The headers that continue a trace, as W3C Trace Context names them. Empty without a trace. */
export type TraceHeaders = { traceparent?: string; tracestate?: string };

/** The trace of a turn, its reopenings, and its last failed try of a round (`startedAt` in ms since 1970). */
export type TurnTrace = {
  traceparent?: string;
  tracestate?: string;
  reopened?: number;
  reopenedAt?: string;
  failed?: { round: number; startedAt: number };
};

export type TraceParent = { traceId: string; spanId: string; isSampled: boolean };

/** Returns the trace context of a request, to be stored with its turn, or null if it is missing or malformed. */
export function readTraceContext(header: (name: string) => string | undefined): TurnTrace | null {
  const traceparent = header('traceparent')?.trim();
  if (traceparent === undefined || !parseTraceparent(traceparent)) return null;
  const tracestate = header('tracestate')?.trim();
  return { traceparent, ...(tracestate !== undefined && isTracestate(tracestate) && { tracestate }) };
}

/** Parses a `traceparent`, or returns null if it is malformed. Of a later version, reads the fields of this version. */
export function parseTraceparent(text: string): TraceParent | null {
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORM.exec(text) ?? [];
  if (!version || version === 'ff' || (version === '00' && rest)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Returns whether the entries of vendors are valid: at most 32 entries and 512 characters. Longer or malformed
 * entries are left out.
 */
function isTracestate(text: string): boolean {
  if (text.length > 512) return false;
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.length <= 32 && entries.every((entry) => entry === '' || ENTRY.test(entry));
}

const ENTRY = /^[a-z0-9][a-z0-9_\-*/]{0,240}(@[a-z][a-z0-9_\-*/]{0,13})?=[ -~]{0,255}[!-~]$/;
