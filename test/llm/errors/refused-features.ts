type Refused = [server: string, lacks: string, status: number, error: string | object];

const TOOLS = 'calls no tools';
const EFFORT = 'does not reason as the request asks';
const CHOICE = 'does not follow this tool_choice';
const FORMAT = 'writes no JSON by this schema or format';
const IMAGES = 'reads no images';
const WIRE = 'cannot be asked over this API';
const WHILE_REASONING = 'calls no tools over Chat Completions while it reasons';

/** An error as OpenAI writes it. */
export const param = (name: string, message: string, code: string | null = null) => ({
  message,
  type: 'invalid_request_error',
  param: name,
  code,
});

/** What servers said of a feature that a model lacks, and how the sentence about it begins. */
export const refusedFeatures: Refused[] = [
  [
    'GPT-5.6',
    WHILE_REASONING,
    400,
    param(
      'reasoning_effort',
      "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    ),
  ],
  ['GPT-6', WIRE, 400, param('model', 'The model cannot be used here.', 'unsupported_model')],
  ['OpenAI', WIRE, 404, param('model', 'This model is only supported in v1/responses and not in v1/chat/completions.')],
  [
    'OpenAI',
    WIRE,
    404,
    param(
      'model',
      'This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?',
    ),
  ],
  [
    'Copilot',
    WIRE,
    400,
    {
      message: 'model "gpt-5.3-codex" is not accessible via the /chat/completions endpoint',
      code: 'unsupported_api_for_model',
    },
  ],
  ['Azure', WIRE, 400, 'The chatCompletion operation does not work with the specified model, gpt-5-codex.'],
  ['vLLM', WIRE, 400, 'The model does not support Chat Completions API'],
  [
    'OpenAI',
    'does not take this temperature',
    400,
    param(
      'temperature',
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      'unsupported_value',
    ),
  ],
  [
    'Responses',
    'does not take this temperature',
    400,
    param('temperature', "Unsupported parameter: 'temperature' is not supported with this model."),
  ],
  [
    'OpenAI',
    'does not take `web_search_options`',
    400,
    param('web_search_options', 'Web search options not supported with this model.', 'unsupported_parameter'),
  ],
  ['OpenAI', IMAGES, 400, 'Invalid content type. image_url is only supported by certain models.'],
  [
    'OpenAI',
    EFFORT,
    400,
    param(
      'reasoning_effort',
      "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'none' and 'low'.",
      'unsupported_value',
    ),
  ],
  ['xAI', EFFORT, 400, 'Model grok-4-latest does not support parameter reasoningEffort.'],
  ['xAI', 'does not take stop', 400, 'Argument not supported on this model: stop'],
  ['Groq', EFFORT, 400, '`reasoning_effort` is not supported with this model'],
  ['Groq', TOOLS, 400, '`tool calling` is not supported with this model'],
  ['Groq', FORMAT, 400, 'This model does not support response format `json_schema`.'],
  ['Mistral', TOOLS, 400, 'Function calling is not enabled for this model'],
  ['Ollama', TOOLS, 400, 'registry.ollama.ai/library/gemma3:4b does not support tools'],
  ['Ollama', EFFORT, 400, '"gemma3:4b" does not support thinking'],
  ['Ollama', IMAGES, 400, 'this model does not support image input (ref: b8bd630e)'],
  ['LM Studio', IMAGES, 400, 'Model does not support images. Please use a model that does.'],
  ['DeepSeek', TOOLS, 400, 'deepseek-reasoner does not support Function Calling'],
  ['DeepSeek', CHOICE, 400, 'Thinking mode does not support this tool_choice'],
  [
    'DashScope',
    CHOICE,
    400,
    '<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode',
  ],
  [
    'DashScope',
    FORMAT,
    400,
    { message: 'Json mode response is not supported when enable_thinking is true', code: 'invalid_parameter_error' },
  ],
  [
    'OpenRouter',
    TOOLS,
    404,
    'No endpoints found that support tool use. To learn more about routing, visit: https://x.y',
  ],
  ['OpenRouter', CHOICE, 404, "No endpoints found that support the provided 'tool_choice' value."],
  ['OpenRouter', IMAGES, 404, 'No endpoints found that support image input'],
  ['vLLM', TOOLS, 400, '"auto" tool choice requires --enable-auto-tool-choice to be set'],
  ['llama.cpp', TOOLS, 500, 'tools param requires --jinja flag'],
  ['llama.cpp', IMAGES, 500, 'image input is not supported - hint: you may need to provide the mmproj'],
  ['Copilot', IMAGES, 400, 'model "claude-sonnet-4.6" not supported for vision'],
  ['Gemini', TOOLS, 400, 'Function calling is not enabled for models/gemma-3-12b-it'],
  ['Gemini', EFFORT, 400, 'Thinking level is not supported for this model.'],
  ['Gemini', IMAGES, 400, 'Image input modality is not enabled for models/gemini-x'],
  ['Gemini', 'takes no instructions', 400, 'Developer instruction is not enabled for models/gemma-3-27b-it'],
  ['Gemini', FORMAT, 400, "Function calling with a response mime type: 'application/json' is unsupported"],
  [
    'Vertex',
    EFFORT,
    400,
    'Unable to submit request because thinking_level MEDIUM is not supported by this model. Learn more: x',
  ],
  ['Anthropic', EFFORT, 400, 'This model does not support the effort parameter.'],
  ['Anthropic', EFFORT, 400, "This model does not support effort level 'xhigh'. Supported levels: high"],
  ['Anthropic', EFFORT, 400, 'adaptive thinking is not supported on this model'],
  ['Anthropic', 'does not take this temperature', 400, '`temperature` is deprecated for this model.'],
  [
    'Anthropic',
    'does not take both temperature and top_p',
    400,
    '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
  ],
  [
    'Anthropic',
    'does not go on with a message of its own',
    400,
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  ['Bedrock', TOOLS, 400, "This model doesn't support tool use in streaming mode."],
  [
    'Bedrock',
    CHOICE,
    400,
    "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
  ],
  ['DeepSeek', IMAGES, 400, 'messages[1]: unknown variant `image_url`, expected `text` at line 1'],
  ['DeepSeek', FORMAT, 400, 'deepseek-reasoner does not support Json Output.'],
  ['Kimi', CHOICE, 400, 'tool_choice specified is incompatible with thinking enabled'],
  ['Anthropic', CHOICE, 400, 'Thinking may not be enabled when tool_choice forces tool use.'],
  ['Anthropic', 'reads no files of this kind', 400, "'claude-3' does not support PDF input."],
  ['Anthropic', 'does not take this temperature', 400, '`temperature` may only be set to 1 when thinking is enabled.'],
  [
    'LiteLLM',
    'does not take this temperature',
    400,
    "litellm.UnsupportedParamsError: gpt-5 doesn't support temperature=0.1 while reasoning is active.",
  ],
  [
    'LiteLLM',
    TOOLS,
    400,
    "litellm.UnsupportedParamsError: ollama does not support parameters: ['tools', 'tool_choice']",
  ],
  [
    'nscale',
    TOOLS,
    422,
    param('tools, tool_choice', 'The following parameters are not supported for this model: tools'),
  ],
  [
    'o1 behind LiteLLM',
    'takes no instructions',
    400,
    "litellm.BadRequestError: {'error': {'message': \"Unsupported value: 'messages[0].role' does not support 'system' with this model.\"}}",
  ],
  [
    'o1',
    'takes no instructions',
    400,
    param(
      'messages[0].role',
      "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
      'unsupported_value',
    ),
  ],
  ['llama.cpp', 'takes no instructions', 500, 'Only user and assistant roles are supported, got system.'],
  ['llama.cpp', 'reads no audio', 500, 'audio input is not supported - hint: you may need the mmproj'],
  ['Qwen', TOOLS, 500, 'Unsupported param: tools'],
  ['vLLM', 'does not take parallel_tool_calls', 400, 'This model only supports single tool-calls at once!'],
  ['SiliconFlow', EFFORT, 400, 'current model does not support parameter `enable_thinking`.'],
  ['SiliconFlow', IMAGES, 400, 'The model is not a VLM (Vision Language Model).'],
  ['Databricks', TOOLS, 400, 'parameter "tools" is not supported'],
  ['Gemini', FORMAT, 400, "Tool use with a response mime type: 'application/json' is unsupported"],
  ['Gemini', EFFORT, 400, 'Budget 0 is invalid. This model only works in thinking mode.'],
  ['Gemini', 'does not take a part of the request', 400, 'The request is not supported by this model.'],
  ['Vertex', EFFORT, 400, 'thinking is not configurable in this model; please remove the setting'],
  ['Bedrock', 'does not stream, and Pawl always streams', 400, 'The model is unsupported for streaming.'],
  ['DashScope', 'does not take `enable_search`', 400, 'This model does not support enable_search.'],
  ['Zhipu', IMAGES, 400, { code: '1210', message: 'API 调用参数有误，当前模型不支持图片输入。' }],
  ['a model with such a name', IMAGES, 400, 'model "kimi-k2-thinking" not supported for vision'],
  [
    'a model with such a name',
    'takes no instructions',
    400,
    'Developer instruction is not enabled for models/gemini-2.5-flash-image',
  ],
  ['a gateway', 'does not take this temperature', 400, 'For this model temperature not supported'],
  ['a gateway', 'does not take `top_k`', 400, param('top_k', 'Not for you.', 'unsupported_parameter')],
  ['a gateway', 'does not take a part of the request', 400, { message: 'No.', code: 'unsupported_value' }],
];
