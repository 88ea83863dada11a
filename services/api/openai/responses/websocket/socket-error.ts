import { SOCKET_BOUNDS } from '#core/bounds/socket-bounds.ts';
import type { RequestRefused } from '#core/failure.ts';
import { errorEnvelope, errorTypes } from '../../../http/errors.ts';

/** An error as a message. The connection stays open. */
export type SocketError = {
  stream_id?: string;
  type: 'error';
  status: number;
  error: { type: string; code: string; message: string; param: string | null };
};

/** Returns the message for an HTTP answer with this status and body. */
export function socketError(status: number, { error }: Pick<SocketError, 'error'>, streamId = ''): SocketError {
  return { ...(streamId !== '' && { stream_id: streamId }), type: 'error', status, error };
}

/** Returns the message of a refusal. */
export function refusalMessage(refusal: RequestRefused, streamId = ''): SocketError {
  return socketError(refusal.status, errorEnvelope(refusal), streamId);
}

type OwnError = { status: 400 | 429 | 500 | 503; code: string; param?: string; message: string };

/** The errors that only a WebSocket has. */
const OWN_ERRORS = {
  internal: { status: 500, code: 'internal', message: 'Pawl failed unexpectedly. Send the request again.' },
  stopping: {
    ...{ status: 503, code: 'server_stopping' },
    message: 'This server is stopping. Open another connection, and send the request there.',
  },
  expired: {
    ...{ status: 400, code: 'websocket_connection_limit_reached' },
    message: 'The connection has been open for 60 minutes. Open another connection, and send the request there.',
  },
  binary: { status: 400, code: 'invalid_json', message: 'The message is binary. Send JSON as a text message.' },
  invalidStreamId: {
    ...{ status: 400, code: 'invalid_stream_id', param: 'stream_id' },
    message: '`stream_id` is not valid. Use 1 to 256 characters of A-Z, a-z, 0-9, `_`, `-` and `.`, or leave it out.',
  },
  tooManyLanes: {
    ...{ status: 400, code: 'websocket_stream_limit_reached', param: 'stream_id' },
    message: `\`stream_id\` is a new name, but the connection already has ${SOCKET_BOUNDS.lanes} names. Use an earlier name, or open another connection.`,
  },
  tooManyMessages: {
    ...{ status: 429, code: 'too_many_messages' },
    message: 'Too many messages are waiting, or they are too large together. Wait until a response ends.',
  },
} satisfies Record<string, OwnError>;

/** Returns the message of an error that only a WebSocket has. */
export function ownError(name: keyof typeof OWN_ERRORS, streamId = ''): SocketError {
  const { status, code, message, param }: OwnError = OWN_ERRORS[name];
  return socketError(status, { error: { type: errorTypes[status], code, message, param: param ?? null } }, streamId);
}

/** Returns the answer to `response.steer`, which is not supported. */
export function steerFailed(steer: Record<string, unknown>) {
  const { previous_response_id = null, input = null } = steer;
  const message = 'Steering is not supported over a WebSocket. Send POST /v1/turns/:id/input with `mode: steer`.';
  return {
    type: 'response.steer.failed',
    sequence_number: 0,
    steer: { previous_response_id, input },
    error: { type: 'invalid_request_error', code: 'steering_not_supported', message },
  };
}
