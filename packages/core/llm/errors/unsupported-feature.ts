/** The words of a refusal, and the field that it names. */
type Words = { message: string | null; param: string | null };

/** What a model lacks: `lacks` completes "The model x …", `advice` says what to change in Pawl's words. */
export type Unsupported = { lacks: string; advice: string };

/** Whether the words of a refusal say that the model, and not the server, lacks a feature of the request. */
export function refusesFeature({ message, param }: Words): boolean {
  const text = (message ?? '').slice(0, LONGEST);
  if (OF_A_WIRE.test(text) || OF_A_SERVER.test(text)) return true;
  return OF_A_MODEL.test(text) && (param !== null || featureIn(text) !== undefined);
}

/** Returns what a refused model lacks. The field that a refusal names counts before its words. */
export function unsupportedIn({ message, param }: Words): Unsupported {
  const text = (message ?? '').slice(0, LONGEST);
  if (OF_A_WIRE.test(text)) return TOOLS_WHILE_REASONING.words.test(text) ? TOOLS_WHILE_REASONING : WIRE;
  const known = (param && featureIn(param)) || featureIn(text);
  if (known) return known;
  if (param === 'model') return WIRE;
  const field = param ?? /['"`]([\w.[\]-]{1,60})['"`]/.exec(text)?.[1];
  const lacks = field ? `does not take \`${field.slice(0, 60)}\`` : 'does not take a part of the request';
  return { lacks, advice: 'Leave it out, or choose another model.' };
}

/** As much of a message as can matter. */
const LONGEST = 4000;

/** Only another wire has the model, or its tools: OpenAI, Copilot, Azure, vLLM. */
const OF_A_WIRE =
  /\btools with reasoning_effort\b|\bonly (supported|available) in \W?v1\/\w+|not (accessible|supported) (via|in|with|for|by|on) (the )?\W?(v1)?\/?(chat\/completions|responses|chat completions)\b|Completions? operation does not work with|(not a|does not support) (the )?chat (model|completions api)/i;

/** The server offers the model without the feature: vLLM, llama.cpp, OpenRouter. */
const OF_A_SERVER =
  /tool choice requires\b|\btools param requires|image input is not supported|no endpoints found that (can )?(support|handle)|is not a multimodal model|at most 0 (image|audio|video)/i;

const NOT_SUPPORTED =
  '(?:not (?:currently |yet |be )*(?:supported|enabled|allowed|available|accepted)|unsupported|deprecated|both be specified|only (?:supported|enabled|allowed|available)|only .{1,40}(?:supported|allowed|accepted))';
const DOES_NOT = "(?:do(?:es)?(?: not|n['’]t) (?:currently |yet )?support)";

const OF_A_MODEL = new RegExp(
  [
    // OpenAI, Azure, and what gateways quote of them.
    '\\bunsupported (?:parameters?|values?|arguments?)\\b',
    // OpenAI, Groq, xAI, Mistral, Perplexity, Gemini, Vertex, Anthropic.
    `\\b${NOT_SUPPORTED}\\b.{0,60}\\b(?:with|by|for|on|in) (?:[\\w-]+ )?models?\\b`,
    `\\b(?:with|by|for|on|in) (?:this|the) model\\b.{0,60}\\b${NOT_SUPPORTED}\\b`,
    // Anthropic, Bedrock, xAI, LM Studio, Groq.
    `\\bmodels?\\b.{0,100}\\b${DOES_NOT}\\b`,
    `\\b${DOES_NOT}\\b.{0,60}\\b(?:with|by|for|on|in) (?:this|the) model\\b`,
    // Ollama, DeepSeek.
    `\\S (?:mode )?${DOES_NOT} (?:this )?(?:tools?|tool_choice|thinking|images?|vision|function)\\b`,
    // DashScope · Copilot · Gemini.
    '\\btool_choice .{0,20}does not support being set|\\b(?:the tool call|json mode response) is not supported',
    '\\bmodel .{1,100} not supported for \\w+',
    'function calling with a response mime type',
  ].join('|'),
  'i',
);

type Feature = Unsupported & { words: RegExp };

const WIRE: Unsupported = {
  lacks: 'cannot be asked over this API',
  advice: 'Choose another model, or ask it over the Responses API (docs/providers.md says how).',
};

const TOOLS_WHILE_REASONING: Feature = {
  words: /\btools with reasoning_effort\b/i,
  lacks: 'calls no tools over Chat Completions while it reasons',
  advice:
    'Set reasoning_effort to "none" or tool_mode to "emulated", or ask it over the Responses API ' +
    '(docs/providers.md says how).',
};

/** The first feature that is named counts. */
const FEATURES: Feature[] = [
  TOOLS_WHILE_REASONING,
  {
    words: /tool_?choice/i,
    lacks: 'does not follow this tool_choice',
    advice: 'Leave out tool_choice, or set it to "auto".',
  },
  {
    words: /parallel[_ ]tool|disable_parallel/i,
    lacks: 'does not take parallel_tool_calls',
    advice: 'Leave out parallel_tool_calls.',
  },
  {
    words:
      /response[_ ]?(format|schema)|json[_ ]?(schema|object|mode)|structured[_ ]outputs?|output_?(config\.)?format|mime ?type|text\.format|responseFormat/i,
    lacks: 'writes no JSON by this schema or format',
    advice: 'Set the mode of output_schema to "instructions", leave out text.format, or choose another model.',
  },
  {
    words: /\bstrict\b/i,
    lacks: 'does not take strict tools',
    advice: 'Leave out `strict`.',
  },
  {
    words: /\btools?\b|\btool[- ]?(use|call)|\bfunctions?([- ](call|tool)|\b)|tool_?config/i,
    lacks: 'calls no tools',
    advice: 'Set tool_mode to "emulated", or choose a model that calls tools.',
  },
  {
    words: /effort|\bthinking|\breasoning/i,
    lacks: 'does not reason as the request asks',
    advice: 'Leave out reasoning_effort, or set one that the model takes.',
  },
  { words: /verbosity/i, lacks: 'does not take this verbosity', advice: 'Leave out verbosity.' },
  {
    words: /\bimages?\b|image_url|input_image|\bvision\b|multi-?modal/i,
    lacks: 'reads no images',
    advice: 'Leave out images, or choose a model that reads them.',
  },
  {
    words: /\baudio\b|input_audio/i,
    lacks: 'reads no audio',
    advice: 'Leave out audio, or choose a model that reads it.',
  },
  {
    words: /\bfiles?\b|input_file|\bdocuments?\b|\bpdfs?\b/i,
    lacks: 'reads no files of this kind',
    advice: 'Leave out files, or choose a model that reads them.',
  },
  {
    words: /temperature.{1,20}top_?p|top_?p.{1,20}temperature/i,
    lacks: 'does not take both temperature and top_p',
    advice: 'Leave out one of them.',
  },
  { words: /temperature/i, lacks: 'does not take this temperature', advice: 'Leave out temperature.' },
  { words: /\btop_?p\b/i, lacks: 'does not take top_p', advice: 'Leave out top_p.' },
  { words: /\bstop(_?sequences?)?\b/i, lacks: 'does not take stop', advice: 'Leave out stop.' },
  { words: /\bseed\b/i, lacks: 'does not take a seed', advice: 'Leave out seed.' },
  {
    words: /max_(completion_|output_)?tokens/i,
    lacks: 'does not take this limit of tokens',
    advice: 'Leave out max_output_tokens, or set max_tokens_field for the provider.',
  },
  {
    words: /\bprefill|assistant message/i,
    lacks: 'does not go on with a message of its own',
    advice: 'End the input with a message of the user.',
  },
  {
    words: /\bsystem[ _]?(message|prompt|role|instruction)|developer (instruction|message)/i,
    lacks: 'takes no instructions',
    advice: 'Leave out instructions, or set roles to "user-only" for the provider.',
  },
  {
    words: /\bstream(ing)?\b/i,
    lacks: 'does not stream, and Pawl always streams',
    advice: 'Choose another model.',
  },
  {
    words: /penalt|logprobs|logit_bias/i,
    lacks: 'does not take an option of provider_options',
    advice: 'Leave it out.',
  },
];

function featureIn(text: string): Feature | undefined {
  return FEATURES.find(({ words }) => words.test(text));
}
