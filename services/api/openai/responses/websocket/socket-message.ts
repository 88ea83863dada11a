import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import { parseJsonBody } from '../../../http/body/parse-json-body.ts';
import { tooLarge } from '../../../http/body/refuse-by-size.ts';
import { ownError, refusalMessage, type SocketError } from './socket-error.ts';

/**
 * A message of a client. `streamId` is empty if the message has no `stream_id`. A create request has the body that it
 * would have as `POST /v1/responses` with `stream: true`.
 */
export type SocketMessage =
  | CreateMessage
  | { type: 'steer'; steer: Record<string, unknown> }
  | { type: 'refused'; error: SocketError };

/**
 * A create request. `bytes` is the size of the message. `isWarmUp` says that no model is asked (`generate: false`).
 * `takeBody` returns the body once, so that a message that runs for long does not keep its body in memory.
 */
export type CreateMessage = {
  type: 'create';
  streamId: string;
  isWarmUp: boolean;
  bytes: number;
  takeBody(): Record<string, unknown>;
};

/** Reads a message of at most `mostBytes`. Throws `RequestRefused` if the message has no readable `stream_id`. */
export async function readSocketMessage(bytes: Buffer, mostBytes: number): Promise<SocketMessage> {
  if (bytes.length > mostBytes) throw tooLarge(mostBytes);
  const { data: message } = Message.safeParse(await parseJsonBody(bytes));
  if (!message) {
    const text =
      'The message is not a JSON object with a `type`. Send an object, for example with the type `response.create`.';
    throw new RequestRefused(400, 'invalid_request', text, 'type');
  }
  const { type, ...fields } = message;
  if (type === 'response.steer') return { type: 'steer', steer: fields };
  if (type !== 'response.create') {
    const text = `\`type\` ${quote(type)} is not known. Send \`response.create\`.`;
    throw new RequestRefused(400, 'invalid_value', text, 'type');
  }
  return readCreate(fields, bytes.length);
}

const Message = z.looseObject({ type: z.string() });
const StreamId = z
  .string()
  .regex(/^[\w.-]{1,256}$/)
  .nullish();
const Flag = z.boolean().nullish();

function readCreate(
  { stream_id, generate, stream: _, stream_options: __, background, ...body }: Record<string, unknown>,
  bytes: number,
): SocketMessage {
  const { data: streamId, success } = StreamId.safeParse(stream_id);
  if (!success) return { type: 'refused', error: ownError('invalidStreamId') };
  const named = { streamId: streamId ?? '' };
  const refusal = refusalOf(generate, background);
  if (refusal) return { type: 'refused', error: refusalMessage(refusal, named.streamId) };
  const isWarmUp = generate === false;
  const whole = { ...body, ...(isWarmUp && { input: body.input ?? [] }), stream: true };
  return { type: 'create', ...named, isWarmUp, bytes, takeBody: takeOnce(whole) };
}

function takeOnce<Value extends object>(value: Value): () => Value {
  let kept: Value | null = value;
  return () => {
    if (!kept) throw new Error('The body of a message was taken twice.');
    const taken = kept;
    kept = null;
    return taken;
  };
}

function refusalOf(generate: unknown, background: unknown): RequestRefused | null {
  if (!Flag.safeParse(generate).success) {
    const text = '`generate` is not valid. Give true or false, or leave it out.';
    return new RequestRefused(400, 'invalid_value', text, 'generate');
  }
  if (background === undefined || background === null || background === false) return null;
  const message = '`background` is not supported over a WebSocket. Leave it out, or send POST /v1/responses.';
  return new RequestRefused(400, 'unsupported_parameter', message, 'background');
}
