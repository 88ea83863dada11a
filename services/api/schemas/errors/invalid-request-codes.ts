/** The sentence of an error, or the field that it names, with the sentence. */
export type ErrorSentence = string | Record<string, string>;

/** The codes of requests that are invalid by themselves, each with an example. */
export const invalidRequestCodes = {
  invalid_json: 'The body is not valid JSON. Check quotes, commas and brackets.',
  invalid_http: 'The HTTP request is not readable. Check the request line, the headers and the body.',
  invalid_form: 'The body is not a valid multipart form. Check its boundary, and the headers of each part.',
  json_too_deep: 'The body is nested more than 64 levels deep. Flatten it.',
  json_too_large: 'The body has more than 100000 values. Send fewer, or send large data as a single text.',
  unknown_field: { inptu: 'Unknown field `inptu`. Remove it, or check its spelling.' },
  missing_field: { input: '`input` is missing. Give a value.' },
  input_required: {
    input: 'Round 2 was the answer, so the model has no more work. Give an input, or fork after an earlier round.',
  },
  filter_required: {
    filter: 'The filter is empty and would match every turn. Give a condition.',
  },
  invalid_value: { 'limits.max_rounds': '`limits.max_rounds` is not valid: give at least 1.' },
  invalid_request: 'The request is not valid. Check it against /openapi.json.',
  invalid_model: { model: 'Name the model as provider/model, for example openai/gpt-4.1.' },
  provider_not_configured: {
    model: 'The provider "openai" is not configured. Set OPENAI_API_KEY, or use one of: sim.',
  },
  tools_not_supported: {
    tool_mode: 'ollama does not support tool calls. Set `tool_mode` to "emulated" or "inline".',
  },
  unsupported_parameter: {
    verbosity:
      'verbosity is not supported by gemini. Leave verbosity out, and ask for short or long answers in the instructions.',
  },
  invalid_output_schema: {
    'output_schema.schema.properties.price':
      'Give a valid JSON Schema (2020-12, or a draft from 4 on): type must be one of the names of JSON types.',
  },
  invalid_tool: {
    'tools[0].description': 'The description has 4 characters. Describe the tool in 10 to 500 characters.',
  },
  unknown_tool: { 'tools[0]': 'Tool "get_wether" not found. GET /v1/tools lists the available tools.' },
  unknown_mcp_server: { 'tools[0].execution.server': 'MCP server "github" not found. Name a server of PAWL_MCP.' },
  unknown_secret: {
    'tools[0].execution.headers.authorization':
      'The secret named "github" was not found. Use a name of PAWL_SECRETS, or ask the operator to add the secret.',
  },
  secret_not_allowed: {
    'tools[0].execution.headers.authorization':
      'The secret named "github" is not allowed for this host. Leave the secret out, or ask the operator to allow it.',
  },
  egress_blocked: {
    'webhook.url': '10.0.0.7 is not a public address. Ask the operator to allow it with PAWL_EGRESS_ALLOW.',
  },
  unknown_parameter: { inptu: 'Unknown field `inptu`. Remove it, or check its spelling.' },
  missing_required_parameter: { input: '`input` is missing. Give a value.' },
  unsupported_value: { truncation: 'truncation "oldest" is not supported. Give "auto" or "disabled".' },
  mutually_exclusive_parameters: { previous_response_id: 'Give previous_response_id or conversation, not both.' },
  background_requires_store: {
    background:
      '`background` requires `store`, so that the response can be retrieved. Leave out `store` or `background`.',
  },
  model_not_found: {
    model:
      'Several providers are configured (gemini, xai). Name the model as provider/model, or ask the operator to set PAWL_DEFAULT_PROVIDER.',
  },
  unsupported_tool: {
    'tools[0].type':
      'Tools of type "web_search" are not supported here. Leave them out, ' +
      'or ask the operator to set PAWL_UNSUPPORTED_TOOLS=ignore.',
  },
  mcp_server_not_configured: {
    'tools[0].server_url':
      'MCP servers are configured by the operator, in PAWL_MCP. Leave out the address and the secrets.',
  },
  unsupported_input_item: {
    'input[3].type': 'Items of type "computer_call" are not supported here. Leave the item out.',
  },
  unsupported_content: {
    'input[0].content[1].type':
      'Content of "input_audio" is not supported here. ' +
      'Send text, or images and files of a user as data: or https URLs.',
  },
  invalid_idempotency_key: { 'Idempotency-Key': 'Give an Idempotency-Key of 1 to 255 visible ASCII characters.' },
  item_not_found: {
    'input[2].id':
      'Item with id "msg_01kagz8m4pfvbte2n5q7rys3wx_r1" not found. Only items of stored responses of this project can be referred to.',
  },
  approval_already_used: {
    'input[0].approval_request_id':
      'This request was already allowed: resp_01kagz8m4pfvbte2n5q7rys3wx runs its call. Continue that response, or deny the request.',
  },
  invalid_encrypted_content: {
    'input[0].encrypted_content':
      '`input[0].encrypted_content` is not the content of a compaction of this project. ' +
      'Send the item unchanged, as `POST /v1/responses/compact` returned it.',
  },
  tool_output_mismatch: { input: 'No tool output found for function call call_1.' },
  previous_response_not_found: {
    previous_response_id:
      'Previous response with id "resp_01kagz8m4pfvbte2n5q7rys3wx" not found. Only a stored response of this project can be continued.',
  },
  previous_response_not_finished: {
    previous_response_id:
      'resp_01kagz8m4pfvbte2n5q7rys3wx is still running. Wait until it ends, then branch from it or answer its calls.',
  },
  cursor_beyond_end: {
    'Last-Event-ID':
      'Last-Event-ID is 999, but the last number of turn_01kagz8m4pfvbte2n5q7rys3wx is 12. Read again from 12 or before.',
  },
  stream_superseded: {
    starting_after:
      'The model restarted this reply, so the events that you have are superseded. Discard them, and request the stream again without `starting_after`.',
  },
} satisfies Record<string, ErrorSentence>;
