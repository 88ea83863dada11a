import { readProxies } from '#core/proxy.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { readOtelSettings } from './otel-settings.ts';
import { noTrace, type Tracer } from './tracer.ts';

/** Opens the tracer of OpenTelemetry's variables. Loads its packages only if `OTEL_EXPORTER_OTLP_ENDPOINT` is set. */
export async function openTracer({ variables, PAWL_TRACE_CONTENT }: Settings, log: Log): Promise<Tracer> {
  const settings = readOtelSettings(variables);
  if (!settings) return noTrace;
  const { openSpanExport } = await import('./export-spans.ts');
  return {
    ...openSpanExport({ ...settings, proxy: readProxies(variables)(new URL(settings.url)) }, log),
    withContent: PAWL_TRACE_CONTENT,
  };
}
