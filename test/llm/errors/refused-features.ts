type Refused = [server: string, problem: string, status: number, error: object];

export const param = (name: string, message: string, code: string | null = null) => ({
  ...{ message, type: 'invalid_request_error', param: name, code },
});

/**
 * Messages of servers for a feature that a model lacks, grouped by the beginning of Pawl's sentence. The brackets
 * have the status, if it is not 400, and the field and code from the server.
 */
const SAID: Record<string, string[]> = {
  'cannot call tools over Chat Completions while it reasons': [
    "GPT-5.6 [param=reasoning_effort]: Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
  ],
  'does not call functions beside hosted tools': [
    'Gemini 2.5: Tool call context circulation is not enabled for models/gemini-2.5-flash',
    'Gemini 2.5: Built-in tools ({google_search}) and Function Calling cannot be combined in the same request. Please choose one to continue.',
    'Gemini 2.0: Tool use with function calling is unsupported',
    'Vertex: Multiple tools are supported only when they are all search tools.',
    'Vertex: Invalid JSON payload received. Unknown name "includeServerSideToolInvocations" at \'tool_config\': Cannot find field.',
  ],
  'is not offered by this API': [
    'GPT-6 [param=model; code=unsupported_model]: The model cannot be used here.',
    'OpenAI [404; param=model]: This model is only supported in v1/responses and not in v1/chat/completions.',
    'OpenAI [404; param=model]: This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?',
    'Copilot [code=unsupported_api_for_model]: model "gpt-5.3-codex" is not accessible via the /chat/completions endpoint',
    'Azure: The chatCompletion operation does not work with the specified model, gpt-5-codex.',
    'vLLM: The model does not support Chat Completions API',
    'new-api [code=unsupported_model]: Unsupported model: foo',
    'vLLM: The model does not support Responses API',
  ],
  'does not support this temperature': [
    "OpenAI [param=temperature; code=unsupported_value]: Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    "Responses [param=temperature]: Unsupported parameter: 'temperature' is not supported with this model.",
    'Anthropic: `temperature` is deprecated for this model.',
    'Anthropic: `temperature` may only be set to 1 when thinking is enabled.',
    "LiteLLM: litellm.UnsupportedParamsError: gpt-5 doesn't support temperature=0.1 while reasoning is active.",
    'a gateway: For this model temperature not supported',
  ],
  'does not support `web_search_options`': [
    'OpenAI [param=web_search_options; code=unsupported_parameter]: Web search options not supported with this model.',
  ],
  'does not read images': [
    'OpenAI: Invalid content type. image_url is only supported by certain models.',
    'Ollama: this model does not support image input (ref: b8bd630e)',
    'LM Studio: Model does not support images. Please use a model that does.',
    'OpenRouter [404]: No endpoints found that support image input',
    'llama.cpp [500]: image input is not supported - hint: you may need to provide the mmproj',
    'Copilot: model "claude-sonnet-4.6" not supported for vision',
    'Gemini: Image input modality is not enabled for models/gemini-x',
    'DeepSeek: messages[1]: unknown variant `image_url`, expected `text` at line 1',
    'SiliconFlow: The model is not a VLM (Vision Language Model).',
    'Zhipu [code=1210]: API 调用参数有误，当前模型不支持图片输入。',
    'a model with such a name: model "kimi-k2-thinking" not supported for vision',
    'a model with such a name: Model kimi-k2-thinking does not support image input',
  ],
  'does not support this reasoning setting': [
    "OpenAI [param=reasoning_effort; code=unsupported_value]: Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'none' and 'low'.",
    'xAI: Model grok-4-latest does not support parameter reasoningEffort.',
    'Groq: `reasoning_effort` is not supported with this model',
    'Ollama: "gemma3:4b" does not support thinking',
    'Gemini: Thinking level is not supported for this model.',
    'Vertex: Unable to submit request because thinking_level MEDIUM is not supported by this model. Learn more: x',
    'Anthropic: This model does not support the effort parameter.',
    "Anthropic: This model does not support effort level 'xhigh'. Supported levels: high",
    'Anthropic: adaptive thinking is not supported on this model',
    'SiliconFlow: current model does not support parameter `enable_thinking`.',
    'Gemini: Budget 0 is invalid. This model only works in thinking mode.',
    'Vertex: thinking is not configurable in this model; please remove the setting',
  ],
  'does not support stop': ['xAI: Argument not supported on this model: stop'],
  'does not call tools': [
    'Groq: `tool calling` is not supported with this model',
    'Mistral: Function calling is not enabled for this model',
    'Ollama: registry.ollama.ai/library/gemma3:4b does not support tools',
    'DeepSeek: deepseek-reasoner does not support Function Calling',
    'OpenRouter [404]: No endpoints found that support tool use. To learn more about routing, visit: https://x.y',
    'vLLM: "auto" tool choice requires --enable-auto-tool-choice to be set',
    'llama.cpp [500]: tools param requires --jinja flag',
    'Gemini: Function calling is not enabled for models/gemma-3-12b-it',
    "Bedrock: This model doesn't support tool use in streaming mode.",
    "LiteLLM: litellm.UnsupportedParamsError: ollama does not support parameters: ['tools', 'tool_choice']",
    'nscale [422; param=tools, tool_choice]: The following parameters are not supported for this model: tools',
    'Qwen [500]: Unsupported param: tools',
    'Databricks: parameter "tools" is not supported',
  ],
  'does not support this version of the hosted tool': [
    "Anthropic: 'claude-3-haiku-20240307' does not support tool types: web_search_20260318. Did you mean one of: bash_20250124?",
    "a gateway: tools.1: Input tag 'code_execution_20260521' found using 'type' does not match any of the expected tags: 'custom', 'web_search_20250305'",
  ],
  'does not call hosted tools from code': [
    'Anthropic: \'claude-haiku-4-5-20251001\' does not support programmatic tool calling. The following tools have `allowed_callers` that require it: web_search. Explicitly set `allowed_callers=["direct"]` on these tools, or use a model that supports programmatic tool calling.',
  ],
  'does not support this schema or format': [
    'Groq: This model does not support response format `json_schema`.',
    'DashScope [code=invalid_parameter_error]: Json mode response is not supported when enable_thinking is true',
    "Gemini: Function calling with a response mime type: 'application/json' is unsupported",
    'DeepSeek: deepseek-reasoner does not support Json Output.',
    "Gemini: Tool use with a response mime type: 'application/json' is unsupported",
  ],
  'does not support this tool_choice': [
    'DeepSeek: Thinking mode does not support this tool_choice',
    'DashScope: <400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode',
    "OpenRouter [404]: No endpoints found that support the provided 'tool_choice' value.",
    "Bedrock: This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
    'Kimi: tool_choice specified is incompatible with thinking enabled',
    'Anthropic: Thinking may not be enabled when tool_choice forces tool use.',
  ],
  'does not support instructions': [
    'Gemini: Developer instruction is not enabled for models/gemma-3-27b-it',
    `o1 behind LiteLLM: litellm.BadRequestError: {'error': {'message': "Unsupported value: 'messages[0].role' does not support 'system' with this model."}}`,
    "o1 [param=messages[0].role; code=unsupported_value]: Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    'llama.cpp [500]: Only user and assistant roles are supported, got system.',
    'a model with such a name: Developer instruction is not enabled for models/gemini-2.5-flash-image',
  ],
  'does not support both temperature and top_p': [
    'Anthropic: `temperature` and `top_p` cannot both be specified for this model. Please use only one.',
  ],
  'does not continue an assistant message': [
    'Anthropic: This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  'does not read files of this kind': ["Anthropic: 'claude-3' does not support PDF input."],
  'does not read audio': ['llama.cpp [500]: audio input is not supported - hint: you may need the mmproj'],
  'does not support parallel_tool_calls': ['vLLM: This model only supports single tool-calls at once!'],
  'does not support a part of the request': [
    'Gemini: The request is not supported by this model.',
    'a gateway [code=unsupported_value]: No.',
  ],
  'does not stream, and Pawl always streams': ['Bedrock: The model is unsupported for streaming.'],
  'does not support `enable_search`': ['DashScope: This model does not support enable_search.'],
  'does not support `top_k`': ['a gateway [param=top_k; code=unsupported_parameter]: Not for you.'],
  'does not show summaries of its reasoning': ['OpenAI [param=reasoning.summary; code=unsupported_value]: No.'],
  'does not support `n`': ["OpenAI: 'n' is not supported with this model"],
  'does not support a seed': ['a model with such a name: Model phi-4-multimodal does not support seed'],
  'does not support penalties': ['Gemini: Penalty is not enabled for models/gemini-2.5-flash'],
};

/** The server, the beginning of Pawl's sentence, the status and the error of each refusal. */
export const refusedFeatures: Refused[] = Object.entries(SAID).flatMap(([problem, all]) =>
  all.map((said): Refused => {
    const [, server = '', marks = '', message = ''] = /^([^:[]+?)(?: \[(.*?)\])?: (.*)$/s.exec(said) ?? [];
    const [, status = '400'] = /^(\d{3})/.exec(marks) ?? [];
    const [, name] = /param=([^;]+)/.exec(marks) ?? [];
    const [, code = null] = /code=([^;]+)/.exec(marks) ?? [];
    const error = name === undefined ? { message, ...(code && { code }) } : param(name, message, code);
    return [server, problem, Number(status), error];
  }),
);
