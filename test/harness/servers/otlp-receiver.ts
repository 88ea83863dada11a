import { buffer } from 'node:stream/consumers';
import { createServer, listen } from './create-server.ts';
import { readProtobufSpans } from './otlp-protobuf.ts';
import type { ReceivedSpan } from './received-span.ts';

/** A collector on a real socket, which accepts OTLP over HTTP. */
export type OtlpReceiver = AsyncDisposable & {
  url: string;
  spans: ReceivedSpan[];
  requests: { path: string; type: string; headers: Record<string, unknown> }[];
};

export async function openOtlpReceiver({ status = 200 } = {}): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver['requests'] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const type = String(request.headers['content-type']);
    requests.push({ path: request.url ?? '', type, headers: request.headers });
    if (status === 200) spans.push(...(type.includes('json') ? readJsonSpans(body) : readProtobufSpans(body)));
    response.writeHead(status, { 'content-type': type }).end(type.includes('json') ? '{}' : '');
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);
  return {
    ...{ url: origin, spans, requests },
    [Symbol.asyncDispose]: close,
  };
}

type Value = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
};
type Attribute = { key: string; value: Value };
type JsonSpan = Omit<ReceivedSpan, 'attributes' | 'links' | 'status'> & {
  attributes: Attribute[];
  links?: { spanId: string }[];
  status?: { code?: number };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
};
type Exported = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: JsonSpan[] }[] }[];
};

function readJsonSpans(body: Buffer): ReceivedSpan[] {
  const exported: Exported = JSON.parse(body.toString());
  return exported.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => readSpan(span, attributesOf(resource.attributes)))),
  );
}

function readSpan(span: JsonSpan, resource: Record<string, unknown>): ReceivedSpan {
  const { traceId, spanId, parentSpanId = '', name, kind, startTimeUnixNano, endTimeUnixNano } = span;
  return {
    ...{ traceId, spanId, parentSpanId, name, kind },
    startMs: Number(startTimeUnixNano) / 1e6,
    endMs: Number(endTimeUnixNano) / 1e6,
    attributes: attributesOf(span.attributes),
    links: (span.links ?? []).map((link) => link.spanId),
    status: span.status?.code ?? 0,
    ...{ service: resource['service.name'], resource },
  };
}

function attributesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue) return arrayValue.values.map(plain);
  return stringValue ?? boolValue ?? Number(intValue ?? doubleValue);
}
