import { Misconfigured } from '#core/failure.ts';

type Env = Record<string, string | undefined>;

/** The settings in OpenTelemetry's standard variables that its packages do not read themselves. */
export type OtelSettings = {
  /** The URL for spans. A general URL has no path for the signal, the URL of the signal's own variable has it. */
  url: string;
  protocol: 'http/protobuf' | 'http/json';
  sampler: { name: string; ratio: number };
  /** The settings of the batch processor. A missing field has its default. */
  batch: {
    scheduledDelayMillis: number;
    maxQueueSize?: number;
    maxExportBatchSize?: number;
    exportTimeoutMillis?: number;
  };
  limits: { attributeCountLimit?: number; attributeValueLengthLimit?: number; linkCountLimit?: number };
};

/** Shorter than OpenTelemetry's own 5 s, since unsent spans are lost with their worker. */
const SCHEDULED_DELAY_MS = 200;

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

/** Reads the variables. Returns null if spans are not to be sent. Throws `Misconfigured` for an invalid value. */
export function readOtelSettings(env: Env): OtelSettings | null {
  const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value?.trim() || undefined]));
  const url = urlOf(given);
  const isOff = given.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || given.OTEL_TRACES_EXPORTER === 'none';
  if (url === null || isOff) return null;
  return {
    url,
    protocol: protocolOf(given),
    sampler: samplerOf(given),
    batch: {
      scheduledDelayMillis: wholeOf(given, 'OTEL_BSP_SCHEDULE_DELAY') ?? SCHEDULED_DELAY_MS,
      ...known('maxQueueSize', wholeOf(given, 'OTEL_BSP_MAX_QUEUE_SIZE')),
      ...known('maxExportBatchSize', wholeOf(given, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE')),
      ...known('exportTimeoutMillis', wholeOf(given, 'OTEL_BSP_EXPORT_TIMEOUT')),
    },
    limits: {
      ...known('attributeCountLimit', limitOf(given, 'ATTRIBUTE_COUNT_LIMIT')),
      ...known('attributeValueLengthLimit', limitOf(given, 'ATTRIBUTE_VALUE_LENGTH_LIMIT')),
      ...known('linkCountLimit', wholeOf(given, 'OTEL_SPAN_LINK_COUNT_LIMIT')),
    },
  };
}

function urlOf(env: Env): string | null {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: general } = env;
  const name = own ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const url = own ?? (general && `${general.replace(/\/+$/, '')}/v1/traces`);
  if (!url) return null;
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
  throw new Misconfigured(`${name} is not a valid URL. Give a URL such as http://localhost:4318.`);
}

function protocolOf(env: Env): OtelSettings['protocol'] {
  const name = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = env[name] ?? 'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol;
  throw new Misconfigured(`${name}: give http/protobuf or http/json.`);
}

function samplerOf({ OTEL_TRACES_SAMPLER: name = 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: arg }: Env) {
  if (!SAMPLERS.includes(name)) throw new Misconfigured(`OTEL_TRACES_SAMPLER: give one of ${SAMPLERS.join(', ')}.`);
  const ratio = arg === undefined ? 1 : Number(arg);
  const isRatio = ratio >= 0 && ratio <= 1;
  if (name.endsWith('ratio') && !isRatio)
    throw new Misconfigured('OTEL_TRACES_SAMPLER_ARG: give a number from 0 to 1.');
  return { name, ratio: isRatio ? ratio : 1 };
}

/** Returns the limit of spans, or the general limit. */
function limitOf(env: Env, name: string): number | undefined {
  return wholeOf(env, `OTEL_SPAN_${name}`) ?? wholeOf(env, `OTEL_${name}`);
}

function wholeOf(env: Env, name: string): number | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Misconfigured(`${name}: give a whole number.`);
}

function known<Name extends string>(name: Name, value: number | undefined): { [Key in Name]?: number } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: number });
}
