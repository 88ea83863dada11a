import type { ReceivedSpan } from './received-span.ts';

// The numbers are those of the fields in opentelemetry-proto: trace/v1/trace.proto and common/v1/common.proto.

export function readProtobufSpans(body: Uint8Array): ReceivedSpan[] {
  return messages(body, 1).flatMap((resourceSpans) => {
    const resource = Object.fromEntries(messages(resourceSpans, 1).flatMap((one) => attributes(one, 1)));
    return messages(resourceSpans, 2).flatMap((scope) => messages(scope, 2).map((span) => readSpan(span, resource)));
  });
}

function readSpan(span: Uint8Array, resource: Record<string, unknown>): ReceivedSpan {
  const [status] = messages(span, 15);
  return {
    ...{ traceId: hex(span, 1), spanId: hex(span, 2), parentSpanId: hex(span, 4), name: text(span, 5) },
    ...{ service: resource['service.name'], resource },
    kind: Number(field(span, 6) ?? 0),
    startMs: Number(field(span, 7)) / 1e6,
    endMs: Number(field(span, 8)) / 1e6,
    attributes: Object.fromEntries(attributes(span, 9)),
    links: messages(span, 13).map((link) => hex(link, 2)),
    status: Number((status && field(status, 3)) ?? 0),
  };
}

function attributes(message: Uint8Array, number: number): [string, unknown][] {
  return messages(message, number).map((one) => [text(one, 1), messages(one, 2).map(value)[0]]);
}

/** Reads an AnyValue: a text, a flag, an integer, a double, or a list of such values. */
function value(message: Uint8Array): unknown {
  for (const { number, content } of fieldsOf(message)) {
    if (number === 1 && typeof content === 'object') return new TextDecoder().decode(content);
    if (number === 2) return content === 1n;
    if (number === 3) return Number(content);
    if (number === 4 && typeof content === 'bigint') return new Float64Array(BigUint64Array.of(content).buffer)[0];
    if (number === 5 && typeof content === 'object') return messages(content, 1).map(value);
  }
  return null;
}

type Field = { number: number; content: bigint | Uint8Array };

function field(message: Uint8Array, number: number): Field['content'] | undefined {
  return fieldsOf(message).find((one) => one.number === number)?.content;
}

function messages(message: Uint8Array, number: number): Uint8Array[] {
  return fieldsOf(message).flatMap((one) =>
    one.number === number && typeof one.content === 'object' ? [one.content] : [],
  );
}

function hex(message: Uint8Array, number: number): string {
  return Buffer.from(messages(message, number)[0] ?? []).toString('hex');
}

function text(message: Uint8Array, number: number): string {
  return new TextDecoder().decode(messages(message, number)[0]);
}

/** Reads the fields of a message: numbers, and fields with a length as bytes. */
function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  let at = 0;
  const varint = () => {
    let read = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(view.getUint8(at));
      at += 1;
      read |= (byte & 127n) << shift;
      if (byte < 128n) return read;
    }
  };
  const skip = (length: number) => {
    at += length;
    return at - length;
  };
  while (at < message.length) {
    const key = Number(varint());
    const number = key >> 3;
    switch (key & 7) {
      case 0:
        fields.push({ number, content: varint() });
        break;
      case 1:
        fields.push({ number, content: view.getBigUint64(skip(8), true) });
        break;
      case 2: {
        const length = Number(varint());
        const start = skip(length);
        fields.push({ number, content: message.subarray(start, start + length) });
        break;
      }
      default:
        fields.push({ number, content: BigInt(view.getUint32(skip(4), true)) });
    }
  }
  return fields;
}
