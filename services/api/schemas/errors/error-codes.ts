import { RequestRefused } from '#core/failure.ts';
import { errorTypes } from '../../http/errors.ts';
import { type ErrorSentence, invalidRequestCodes } from './invalid-request-codes.ts';

/** Every code that an error may carry, by its status, each as it may come. */
const sentences = {
  400: invalidRequestCodes,
  401: {
    invalid_api_key: 'Send a valid key as `Authorization: Bearer <key>`.',
  },
  403: {
    host_not_allowed: {
      Host: 'Without PAWL_API_KEYS only localhost, 127.0.0.1 and [::1] are served. Use one of them, or set keys.',
    },
    origin_not_allowed: {
      Origin:
        'Pages of other origins may not use this API: ask it from your own server. ' +
        'A proxy before it has to pass on the Host that the browser asked for, port included.',
    },
    insufficient_scope: 'This needs a key with the scope write. Use another one, or ask the operator.',
    model_not_allowed: { model: 'This project may not ask openai/gpt-5. Name a model of GET /v1/models.' },
  },
  404: {
    route_not_found: 'There is no such route. GET /openapi.json lists those there are.',
    conversation_not_found: { id: 'There is no conversation of this id. Check the id and the key.' },
    response_not_found: {
      id: 'There is no response of this id. Check the id and the key; one that was not stored cannot be asked for.',
    },
    completion_not_found: {
      id: 'The chat completion was not found. Check its id and the API key. With store: false, none is kept.',
    },
    conversation_item_not_found: {
      item_id: 'There is no item of this id in the conversation. Check the ids; deleted items are gone.',
    },
    model_not_listed: {
      id: 'No provider here lists the model "openai/gpt-0". GET /openai/v1/models has those there are.',
    },
    bulk_not_found: { id: 'There is no bulk of this id. Check the id and the key.' },
    schedule_not_found: { id: 'There is no schedule of this id. Check the id and the key.' },
    turn_not_found: { id: 'There is no turn of this id. Check the id and the key.' },
    round_not_found: { number: 'This turn has no such round: it has 2, numbered from 1.' },
    tool_call_not_found: { 'tool_outputs[0].tool_call_id': 'This turn has no tool call call_9.' },
    tool_output_not_found: { call_id: 'There is no output of a call call_1 in this turn yet.' },
    blob_not_found: { sha: 'There is no blob of this SHA-256. Check it and the key; it goes with its last turn.' },
    file_not_found: {
      id: 'The file was not found. Check its id, and that the API key belongs to its project. It may have expired.',
    },
    delivery_not_found: { id: 'There is no delivery of this id.' },
    webhook_endpoint_not_found: { id: 'There is no webhook endpoint of this id. Check the id and the key.' },
  },
  405: {
    method_not_allowed: 'This path takes GET only. Use that.',
  },
  408: {
    request_timeout: 'The request did not come in time. Send its headers in 10 s and all of it in 60 s.',
  },
  409: {
    idempotency_key_reused: {
      'Idempotency-Key': 'This Idempotency-Key was used with another body. Send the same body, or a fresh key.',
    },
    conversation_busy: {
      on_active_turn:
        'The conversation is at turn_01kagz8m4pfvbte2n5q7rys3wx. ' +
        'Wait for it, cancel it, or send on_active_turn enqueue, steer or interrupt.',
    },
    turn_differs: {
      model:
        'turn_01kagz8m4pfvbte2n5q7rys3wx, which the input would join, has another model. Leave it out, or start a turn of its own.',
    },
    turn_active: 'The turn is still active. Wait for it or cancel it, then delete.',
    turn_ended: 'The turn is completed already and cannot be cancelled.',
    round_not_finished: {
      after_round:
        'Round 3 of the turn is not there, or its calls are not all answered yet. Wait for it, or fork behind an earlier round.',
    },
    turn_not_failed: 'Only a failed turn can be retried. Start a new turn instead.',
    turn_forked: 'A fork stands on this turn, so it stays as it is. Start a new turn instead.',
    tool_call_answered: {
      'tool_outputs[0].tool_call_id': 'The call call_1 was answered otherwise before; the first answer stands.',
    },
    tool_call_not_waiting: {
      'tool_outputs[0].tool_call_id': "The call call_1 does not wait for this. Read the turn's required_action.",
    },
    too_many_schedules: 'A project has 1000 schedules at most. Delete one that is not needed.',
    too_many_webhook_endpoints: 'A project has 100 webhook endpoints at most. Delete one that is not needed.',
    webhook_endpoint_disabled: 'The webhook endpoint is disabled or deleted. Enable it, then redeliver.',
  },
  413: {
    body_too_large: 'The body is larger than 1 MiB. Send less, or split it over turns.',
  },
  415: {
    unsupported_media_type: 'Send the body as JSON with `Content-Type: application/json`.',
  },
  417: {
    expectation_failed: { Expect: 'Only `Expect: 100-continue` can be met. Leave out the header, or send that.' },
  },
  426: {
    upgrade_required:
      'This path accepts WebSockets only. Open a WebSocket (version 13), or list responses with GET /v1/turns.',
  },
  429: {
    too_many_streams: 'This key has 1000 streams and long polls open here. Close some, or ask without `wait`.',
    quota_exceeded: 'The project may make 600 requests a minute. Try again in 17 s.',
  },
  431: {
    headers_too_large: 'The request line and the headers have more than 16 KiB. Send fewer or shorter ones.',
  },
  500: {
    internal: 'Something went wrong on our side. Try again; if it stays, look into the API log.',
    compaction_failed:
      'The model wrote no summary: its reply ended early (max_output_tokens). Ask another model, or send less.',
  },
  503: {
    server_stopping:
      'This server is stopping. The response continues. Retrieve it by the id in the header pawl-response-id.',
    too_many_connections:
      'Too many connections are open here. Close those that you do not use, and try again in a moment.',
    service_unavailable: 'The database cannot be reached right now. Try again in a moment.',
    mcp_server_unavailable: { 'tools[0]': 'The MCP server "github" cannot be reached now. Try again in a moment.' },
  },
} satisfies { [Status in keyof typeof errorTypes]: Record<string, ErrorSentence> };

type Status = keyof typeof sentences;
type CodeOf<Of extends Status> = { [Each in Of]: keyof (typeof sentences)[Each] }[Of];
export type ErrorCode = CodeOf<Status>;
type ErrorExample<Of extends Status> = { status: Of; param: string | null; message: string };

/** An example of each error: its status, the field that it names, and its sentence. */
export const errorCodes = Object.fromEntries(
  Object.entries(sentences).flatMap(([status, ofStatus]) =>
    Object.entries<ErrorSentence>(ofStatus).map(([code, sentence]) => [code, exampleOf(Number(status), sentence)]),
  ),
) as { [Code in ErrorCode]: ErrorExample<Code extends CodeOf<500> ? 500 : Exclude<Status, 500>> };

function exampleOf(status: number, sentence: ErrorSentence) {
  if (typeof sentence === 'string') return { status, param: null, message: sentence };
  const [[param, message] = []] = Object.entries(sentence);
  return { status, param, message };
}

/** The refusal of a code that always comes with the same sentence: the one of its example. */
export function refused(code: Exclude<ErrorCode, CodeOf<500>>): RequestRefused {
  const { status, message, param } = errorCodes[code];
  return new RequestRefused(status, code, message, param);
}

/** The body of an answer with each code. */
export const errorExamples = Object.fromEntries(
  Object.entries(errorCodes).map(([code, { status, message, param }]) => [
    code,
    { error: { type: errorTypes[status], code, message, param } },
  ]),
);
