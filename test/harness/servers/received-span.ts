/** A span as a collector gets it. Times are in milliseconds since 1970. */
export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 1 is internal, 3 is client. */
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Record<string, unknown>;
  links: string[];
  /** 2 is an error. */
  status: number;
  service: unknown;
  /** The attributes of the process that sent it. */
  resource: Record<string, unknown>;
};
