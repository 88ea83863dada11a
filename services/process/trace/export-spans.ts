import { randomUUID } from 'node:crypto';
import {
  type Context,
  createTraceState,
  DiagLogLevel,
  diag,
  type HrTime,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { parseTraceparent } from '#core/trace-context.ts';
import type { Log } from '../log.ts';
import type { OtelSettings } from './otel-settings.ts';
import { traceIdOf } from './span-ids.ts';
import type { SpanAttributes, TracedTurn, Tracer, TurnSpan } from './tracer.ts';
import { VERSION } from './version.ts';

/** The time that a stop waits for unsent spans. */
const CLOSE_MS = 3_000;

/** Makes the tracer that sends spans by OTLP over HTTP, in batches from a bounded queue. Turns never wait for it. */
export function openSpanExport(settings: OtelSettings & { proxy: URL | null }, log: Log): Omit<Tracer, 'withContent'> {
  const { url, protocol, batch, limits, proxy } = settings;
  const options = { url, ...(proxy && { httpAgentOptions: agentThrough(proxy) }) };
  const exporter = protocol === 'http/json' ? new JsonExporter(options) : new ProtobufExporter(options);
  const sampler = makeSampler(settings.sampler);
  const ids = { traceId: '', spanId: '' };
  const provider = new TracerProvider({
    sampler,
    spanLimits: limits,
    resource: resourceFromAttributes(ownResource()).merge(detectResources({ detectors: [envDetector] })),
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    spanProcessors: [new BatchSpanProcessor({ exporter: loggingOnce(exporter, log), ...batch })],
  });
  const tracer = provider.getTracer('pawl');
  const isSampled = (turn: TracedTurn) => isTurnSampled(sampler, turn);

  return {
    isOn: true,
    report: (span) => {
      const within = contextOf(span, isSampled);
      Object.assign(ids, { traceId: traceIdOf(span.turn), spanId: span.id });
      const recorded = tracer.startSpan(span.name, optionsOf(span), within);
      if (span.errorType !== null) recorded.setStatus({ code: SpanStatusCode.ERROR });
      recorded.end(hrTime(Math.max(span.startedAt, span.endedAt)));
    },
    headersWithin: (turn, spanId) => {
      const flags = isSampled(turn) ? '01' : '00';
      const { tracestate } = turn.trace ?? {};
      return { traceparent: `00-${traceIdOf(turn)}-${spanId()}-${flags}`, ...(tracestate && { tracestate }) };
    },
    close: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_MS);
      await Promise.race([provider.shutdown().catch(() => {}), promise]);
      clearTimeout(timer);
    },
  };
}

/** Returns the attributes of the process. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES replace them. */
function ownResource() {
  return { 'service.name': 'pawl', 'service.version': VERSION, 'service.instance.id': randomUUID() };
}

/** Makes agents for a proxy. Node supports proxies from 24.5 on. Older versions send spans directly. */
function agentThrough(proxy: URL) {
  const proxyEnv = { HTTP_PROXY: proxy.href, HTTPS_PROXY: proxy.href };
  return async (protocol: string) => {
    const { Agent } = protocol === 'http:' ? await import('node:http') : await import('node:https');
    return new Agent({ keepAlive: true, proxyEnv });
  };
}

/** Returns the parent of a span: the request for a turn's span, and the turn's span for other spans. */
function contextOf({ turn, parentId }: TurnSpan, isSampled: (turn: TracedTurn) => boolean): Context {
  if (parentId === null) return requestContext(turn);
  const traceFlags = isSampled(turn) ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return contextWith({ ...stateOf(turn), traceId: traceIdOf(turn), spanId: parentId, traceFlags, isRemote: true });
}

function requestContext(turn: TracedTurn): Context {
  const parent = parseTraceparent(turn.trace?.traceparent ?? '');
  if (!parent) return ROOT_CONTEXT;
  const traceFlags = parent.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return contextWith({ ...stateOf(turn), traceId: parent.traceId, spanId: parent.spanId, traceFlags, isRemote: true });
}

function contextWith(context: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, context);
}

function stateOf({ trace: kept }: TracedTurn): Pick<SpanContext, 'traceState'> {
  return kept?.tracestate ? { traceState: createTraceState(kept.tracestate) } : {};
}

/** Returns the sampler's decision for the span of the turn, which applies to all its spans, in any process. */
function isTurnSampled(sampler: Sampler, turn: TracedTurn): boolean {
  const kind = SpanKind.INTERNAL;
  const { decision } = sampler.shouldSample(requestContext(turn), traceIdOf(turn), 'invoke_agent', kind, {}, []);
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
}

function optionsOf({ kind, startedAt, attributes, errorType, links, turn }: TurnSpan) {
  const linked = links.map((spanId) => ({
    context: { traceId: traceIdOf(turn), spanId, traceFlags: TraceFlags.SAMPLED },
  }));
  return {
    kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    startTime: hrTime(startedAt),
    attributes: withoutEmpty({ ...attributes, 'error.type': errorType }),
    links: linked,
  };
}

function withoutEmpty(attributes: SpanAttributes): Record<string, string | number | boolean | string[]> {
  const known = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(known) as Record<string, string | number | boolean | string[]>;
}

/** Converts milliseconds to seconds and nanoseconds. A number alone could mean the time since the process began. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

function makeSampler({ name, ratio }: OtelSettings['sampler']): Sampler {
  if (name.startsWith('parentbased_'))
    return new ParentBasedSampler({ root: makeSampler({ name: name.slice('parentbased_'.length), ratio }) });
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

/** Logs once that spans cannot be sent, and once that they can again. Suppresses the logs of the packages. */
function loggingOnce(exporter: SpanExporter, log: Log): SpanExporter {
  let isAway = false;
  diag.setLogger({ error() {}, warn() {}, info() {}, debug() {}, verbose() {} }, DiagLogLevel.NONE);
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed && !isAway)
          log.warn(
            { event: 'traces.away', reason: result.error?.message },
            'cannot send spans to OTEL_EXPORTER_OTLP_ENDPOINT (spans are lost until it is back, turns continue)',
          );
        if (!hasFailed && isAway) log.info({ event: 'traces.back' }, 'spans reach OTEL_EXPORTER_OTLP_ENDPOINT again');
        isAway = hasFailed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
