import { RequestRefused } from '#core/failure.ts';
import { errorTypes } from '../../http/errors.ts';
import { type ErrorSentence, invalidRequestCodes } from './invalid-request-codes.ts';

/** Every code of an error by status, each with an example. */
const sentences = {
  400: invalidRequestCodes,
  401: {
    invalid_api_key: 'Send a valid key as `Authorization: Bearer <key>`.',
  },
  403: {
    host_not_allowed: {
      Host: 'Without PAWL_API_KEYS, Pawl serves only localhost, 127.0.0.1 and [::1]. Use one of these hosts, or set keys.',
    },
    origin_not_allowed: {
      Origin:
        'Pages of other origins may not use this API. Call it from your own server. A proxy in front of Pawl must pass on the Host header of the browser, including the port.',
    },
    insufficient_scope: 'This request requires a key with the scope write. Use another key, or ask the operator.',
    agent_not_allowed: {
      agent: 'This request must use an allowed agent: support. Set `agent` to an allowed agent, or ask the operator.',
    },
    agent_override_not_allowed: {
      instructions:
        'This request may not set `instructions`, because the key or the project only allows agents as they are. Leave it out, or ask the operator.',
    },
    model_not_allowed: {
      model: 'This project may not use openai/gpt-5. Name a model of GET /v1/models, or ask the operator.',
    },
  },
  404: {
    route_not_found: 'Route not found. GET /openapi.json lists all routes.',
    conversation_not_found: {
      id: 'Conversation not found. Check its id, and that the API key belongs to its project.',
    },
    response_not_found: {
      id: 'Response not found. Check its id, and that the API key belongs to its project. Responses with `store: false` cannot be retrieved.',
    },
    completion_not_found: {
      id: 'Chat completion not found. Check its id, and that the API key belongs to its project. Completions with `store: false` are not kept.',
    },
    conversation_item_not_found: {
      item_id: 'Item not found in the conversation. Check both ids. Deleted items cannot be retrieved.',
    },
    model_not_listed: {
      id: 'No provider lists the model "openai/gpt-0". Use a model of GET /openai/v1/models.',
    },
    agent_not_found: {
      agent: 'Agent "support" not found. Use an agent of GET /v1/agents, and check the project of the API key.',
    },
    agent_label_not_found: { label: 'The agent has no label "production". Use a label of GET /v1/agents/:id.' },
    bulk_not_found: { id: 'Bulk not found. Check its id, and that the API key belongs to its project.' },
    schedule_not_found: { id: 'Schedule not found. Check its id, and that the API key belongs to its project.' },
    turn_not_found: { id: 'Turn not found. Check its id, and that the API key belongs to its project.' },
    round_not_found: { number: 'Round not found: this turn has 2 rounds, numbered from 1.' },
    tool_call_not_found: { 'tool_outputs[0].tool_call_id': 'This turn has no tool call call_9.' },
    tool_output_not_found: { call_id: 'The call call_1 has no output in this turn yet.' },
    blob_not_found: {
      sha: 'Blob not found. Check the SHA-256, and that the API key belongs to its project. A blob is deleted with its last turn.',
    },
    file_not_found: {
      id: 'File not found. Check its id, and that the API key belongs to its project. The file may have expired.',
    },
    delivery_not_found: { id: 'Delivery not found. Check its id, and that the API key belongs to its project.' },
    webhook_endpoint_not_found: {
      id: 'Webhook endpoint not found. Check its id, and that the API key belongs to its project.',
    },
  },
  405: {
    method_not_allowed: 'This path accepts GET only. Change the method.',
  },
  408: {
    request_timeout:
      'The request did not arrive in time. Send its headers within 10 s and the whole request within 60 s.',
  },
  409: {
    agent_exists: { name: 'The project has an agent "support" already. Change it, or choose another name.' },
    version_conflict: {
      version: 'The current version of the agent is 3. Read it, and make the change again.',
    },
    idempotency_key_reused: {
      'Idempotency-Key': 'This Idempotency-Key was used with another body. Send the same body, or a new key.',
    },
    conversation_busy: {
      on_active_turn:
        'The conversation is busy with turn_01kagz8m4pfvbte2n5q7rys3wx. Wait for it, cancel it, or set `on_active_turn` to `enqueue`, `steer` or `interrupt`.',
    },
    turn_differs: {
      model:
        '`model` differs from the value of turn_01kagz8m4pfvbte2n5q7rys3wx, which the input would join. Leave it out, or start a separate turn.',
    },
    turn_active: 'The turn is still active. Wait for it or cancel it, then delete.',
    turn_ended: 'The turn is completed already and cannot be cancelled.',
    round_not_finished: {
      after_round:
        'Round 3 of the turn does not exist, or some of its calls have no answer yet. Wait for the round, or fork after an earlier round.',
    },
    turn_not_failed: 'Only a failed turn can be retried. Start a new turn instead.',
    turn_forked: 'A fork depends on this turn, so the turn cannot change. Start a new turn instead.',
    tool_call_answered: {
      'tool_outputs[0].tool_call_id':
        "The call call_1 already has a different answer, and the first answer remains. Read the turn's rounds.",
    },
    tool_call_not_waiting: {
      'tool_outputs[0].tool_call_id': "The call call_1 does not wait for this answer. Read the turn's required_action.",
    },
    too_many_schedules: 'A project has 1000 schedules at most. Delete a schedule that is not needed.',
    too_many_webhook_endpoints: 'A project has 100 webhook endpoints at most. Delete an endpoint that is not needed.',
    webhook_endpoint_disabled: 'The webhook endpoint is disabled or deleted. Enable it, then redeliver.',
  },
  413: {
    body_too_large: 'The body is larger than 1 MiB. Send less data, or split it over several turns.',
  },
  415: {
    unsupported_media_type: 'Send the body as JSON with `Content-Type: application/json`.',
  },
  417: {
    expectation_failed: {
      Expect: 'Only `Expect: 100-continue` is supported. Leave out the header, or send this value.',
    },
  },
  426: {
    upgrade_required:
      'This path accepts WebSockets only. Open a WebSocket (version 13), or list responses with GET /v1/turns.',
  },
  429: {
    too_many_streams:
      'This key has 1000 streams and long polls open here. Close some, or send the request without `wait`.',
    quota_exceeded: 'The project may make 600 requests a minute. Try again in 17 s.',
  },
  431: {
    headers_too_large: 'The request line and the headers have more than 16 KiB. Send fewer or shorter headers.',
  },
  500: {
    internal: 'Pawl failed unexpectedly. Try again. If the error repeats, check the API log.',
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

/** Returns the refusal of a code that always has the same sentence, taken from its example. */
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
