import { errorTypes } from '../http/errors.ts';

type Example = { status: keyof typeof errorTypes; param: string | null; message: string };

/** Every code that an error may carry, each as it may come: with its status, the field it names, and its sentence. */
export const errorCodes = {
  invalid_json: of(400, null, 'The body is not valid JSON. Check quotes, commas and brackets.'),
  invalid_http: of(
    400,
    null,
    'This is no HTTP request that can be read. Check the request line, the headers and the body.',
  ),
  json_too_deep: of(400, null, 'The body is nested more than 64 levels deep. Flatten it.'),
  json_too_large: of(400, null, 'The body has more than 100000 values. Send fewer, or large data as one text.'),
  unknown_field: of(400, 'inptu', 'There is no field `inptu`. Remove it, or check its spelling.'),
  missing_field: of(400, 'input', '`input` is missing. Give it.'),
  invalid_value: of(400, 'limits.max_rounds', '`limits.max_rounds` is not valid: give at least 1.'),
  invalid_request: of(400, null, 'The request is not valid. Check it against /openapi.json.'),
  invalid_model: of(400, 'model', 'Name the model as provider/model, for example openai/gpt-4.1.'),
  provider_not_configured: of(
    400,
    'model',
    'The provider "openai" is not configured. Set OPENAI_API_KEY, or use one of: sim.',
  ),
  tools_not_supported: of(
    400,
    'tool_mode',
    'ollama has no tool calls of its own. Set tool_mode to "emulated", or to "inline".',
  ),
  unsupported_parameter: of(
    400,
    'verbosity',
    'gemini knows no verbosity. Leave it out, and say in the instructions how long answers should be.',
  ),
  invalid_output_schema: of(
    400,
    'output_schema.schema.properties.price',
    'Give a valid JSON Schema (2020-12 or draft-07): type must be one of the names of JSON types.',
  ),
  invalid_tool: of(400, 'tools[0].description', 'Describe the tool in 10 to 500 characters; this has 4.'),
  unknown_tool: of(400, 'tools[0]', 'There is no tool named "get_wether" here. GET /v1/tools lists those there are.'),
  unknown_mcp_server: of(
    400,
    'tools[0].execution.server',
    'There is no MCP server named "github". Name one of PAWL_MCP.',
  ),
  unknown_secret: of(
    400,
    'tools[0].execution.headers.authorization',
    'There is no secret named "github". Name one of PAWL_SECRETS, or ask the operator to add it there.',
  ),
  secret_not_allowed: of(
    400,
    'tools[0].execution.headers.authorization',
    'The secret named "github" may not be sent to this host. Leave it out, or ask the operator to allow it.',
  ),
  egress_blocked: of(
    400,
    'webhook.url',
    '10.0.0.7 is not a public address; the operator can allow it with PAWL_EGRESS_ALLOW.',
  ),
  unknown_parameter: of(400, 'inptu', 'There is no field `inptu`. Remove it, or check its spelling.'),
  missing_required_parameter: of(400, 'input', '`input` is missing. Give it.'),
  unsupported_value: of(
    400,
    'truncation',
    'truncation "auto" is not supported: history is never cut silently. Give "disabled".',
  ),
  mutually_exclusive_parameters: of(
    400,
    'previous_response_id',
    'Give previous_response_id or conversation, not both.',
  ),
  background_requires_store: of(
    400,
    'background',
    'What runs in the background has to be stored, to be found again. Leave out store, or background.',
  ),
  model_not_found: of(
    400,
    'model',
    'Several providers are configured (gemini, xai): name the model as provider/model, ' +
      'or ask the operator to set PAWL_DEFAULT_PROVIDER.',
  ),
  unsupported_tool: of(
    400,
    'tools[0].type',
    'Tools of type "web_search" are not supported here. Give functions, custom tools or mcp tools.',
  ),
  mcp_server_not_configured: of(
    400,
    'tools[0].server_url',
    'MCP servers are configured by the operator, in PAWL_MCP. Leave out the address and the secrets.',
  ),
  unsupported_input_item: of(
    400,
    'input[3].type',
    'Items of type "computer_call" are not supported here. Leave it out.',
  ),
  unsupported_content: of(
    400,
    'input[0].content[1].type',
    'Content of "input_audio" is not supported here. ' +
      'Send text, or images and files of a user as data: or https URLs.',
  ),
  invalid_idempotency_key: of(400, 'Idempotency-Key', 'Give an Idempotency-Key of 1 to 255 visible ASCII characters.'),
  item_not_found: of(
    400,
    'input[2].id',
    'Item with id "msg_01kagz8m4pfvbte2n5q7rys3wx_r1" not found. Only items of stored responses of this project can be referred to.',
  ),
  approval_already_used: of(
    400,
    'input[0].approval_request_id',
    'This request was allowed before: resp_01kagz8m4pfvbte2n5q7rys3wx runs its call, which no other may. Continue that response, or deny the request.',
  ),
  tool_output_mismatch: of(400, 'input', 'No tool output found for function call call_1.'),
  previous_response_not_found: of(
    400,
    'previous_response_id',
    'Previous response with id "resp_01kagz8m4pfvbte2n5q7rys3wx" not found. Only a stored response of this project can be continued.',
  ),
  previous_response_not_finished: of(
    400,
    'previous_response_id',
    'resp_01kagz8m4pfvbte2n5q7rys3wx is still at work. Wait for its end before branching from it or answering its calls.',
  ),
  stream_superseded: of(
    400,
    'starting_after',
    'The model began this reply again, and what you have of it was given up. Drop it, and ask for the stream again without `starting_after`.',
  ),
  invalid_api_key: of(401, null, 'Send a valid key as `Authorization: Bearer <key>`.'),
  host_not_allowed: of(
    403,
    'Host',
    'Without PAWL_API_KEYS only localhost, 127.0.0.1 and [::1] are served. Use one of them, or set keys.',
  ),
  origin_not_allowed: of(
    403,
    'Origin',
    'Pages of other origins may not use this API: ask it from your own server. ' +
      'A proxy before it has to pass on the Host that the browser asked for, port included.',
  ),
  route_not_found: of(404, null, 'There is no such route. GET /openapi.json lists those there are.'),
  conversation_not_found: of(404, 'id', 'There is no conversation of this id. Check the id and the key.'),
  response_not_found: of(
    404,
    'id',
    'There is no response of this id. Check the id and the key; one that was not stored cannot be asked for.',
  ),
  conversation_item_not_found: of(
    404,
    'item_id',
    'There is no item of this id in the conversation. Check the ids; deleted items are gone.',
  ),
  model_not_listed: of(
    404,
    'id',
    'No provider here lists the model "openai/gpt-0". GET /openai/v1/models has those there are.',
  ),
  turn_not_found: of(404, 'id', 'There is no turn of this id. Check the id and the key.'),
  tool_call_not_found: of(404, 'tool_outputs[0].tool_call_id', 'This turn has no tool call call_9.'),
  tool_output_not_found: of(404, 'call_id', 'There is no output of a call call_1 in this turn yet.'),
  blob_not_found: of(404, 'sha', 'There is no blob of this SHA-256. Check it and the key; it goes with its last turn.'),
  delivery_not_found: of(404, 'id', 'There is no delivery of this id.'),
  webhook_endpoint_not_found: of(404, 'id', 'There is no webhook endpoint of this id. Check the id and the key.'),
  method_not_allowed: of(405, null, 'This path takes GET only. Use that.'),
  request_timeout: of(408, null, 'The request did not come in time. Send its headers in 10 s and all of it in 60 s.'),
  idempotency_key_reused: of(
    409,
    'Idempotency-Key',
    'This Idempotency-Key was used with another body. Send the same body, or a fresh key.',
  ),
  conversation_busy: of(
    409,
    'on_active_turn',
    'The conversation is at turn_01kagz8m4pfvbte2n5q7rys3wx. ' +
      'Wait for it, cancel it, or send on_active_turn enqueue or interrupt.',
  ),
  turn_ended: of(409, null, 'The turn is completed already and cannot be cancelled.'),
  turn_not_failed: of(409, null, 'Only a failed turn can be retried. Start a new turn instead.'),
  turn_forked: of(409, null, 'A fork stands on this turn, so it stays as it is. Start a new turn instead.'),
  tool_call_answered: of(
    409,
    'tool_outputs[0].tool_call_id',
    'The call call_1 was answered otherwise before; the first answer stands.',
  ),
  tool_call_not_waiting: of(
    409,
    'tool_outputs[0].tool_call_id',
    "The call call_1 does not wait for this. Read the turn's required_action.",
  ),
  too_many_webhook_endpoints: of(
    409,
    null,
    'A project has 100 webhook endpoints at most. Delete one that is not needed.',
  ),
  webhook_endpoint_disabled: of(409, null, 'The webhook endpoint is disabled or deleted. Enable it, then redeliver.'),
  body_too_large: of(413, null, 'The body is larger than 1 MiB. Send less, or split it over turns.'),
  unsupported_media_type: of(415, null, 'Send the body as JSON with `Content-Type: application/json`.'),
  expectation_failed: of(417, 'Expect', 'Only `Expect: 100-continue` can be met. Leave out the header, or send that.'),
  too_many_streams: of(
    429,
    null,
    'This key has 1000 streams and long polls open here. Close some, or ask without `wait`.',
  ),
  headers_too_large: of(
    431,
    null,
    'The request line and the headers have more than 16 KiB. Send fewer or shorter ones.',
  ),
  internal: of(500, null, 'Something went wrong on our side. Try again; if it stays, look into the API log.'),
  server_stopping: of(
    503,
    null,
    'This server is stopping. The response goes on: retrieve it by the id in the header pawl-response-id.',
  ),
  too_many_connections: of(
    503,
    null,
    'Too many connections are open here. Close those that you do not use, and try again in a moment.',
  ),
  service_unavailable: of(503, null, 'The database cannot be reached right now. Try again in a moment.'),
  mcp_server_unavailable: of(503, 'tools[0]', 'The MCP server "github" cannot be reached now. Try again in a moment.'),
} satisfies Record<string, Example>;

export type ErrorCode = keyof typeof errorCodes;

/** The body of an answer with each code. */
export const errorExamples = Object.fromEntries(
  Object.entries(errorCodes).map(([code, { status, message, param }]) => [
    code,
    { error: { type: errorTypes[status], code, message, param } },
  ]),
);

function of(status: Example['status'], param: string | null, message: string): Example {
  return { status, param, message };
}
