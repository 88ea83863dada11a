/** The feature that a model lacks. `problem` completes "The model x …", `advice` names the Pawl setting to change. */
export type Unsupported = { problem: string; advice: string };

/** A feature with the words that servers use for it. */
export type Feature = Unsupported & { words: RegExp };

export const OVER_RESPONSES =
  'use the Responses API (OPENAI_WIRE=responses, XAI_WIRE=responses, or "kind": "openai-responses" in PAWL_PROVIDERS)';

export const OVER_CHAT =
  'use Chat Completions (OPENAI_WIRE=chat, XAI_WIRE=chat, or "kind": "openai" in PAWL_PROVIDERS)';

export const ANOTHER_MODEL = 'Choose another model.';

export const TOOLS_WHILE_REASONING: Feature = {
  words: /\btools with reasoning_effort\b/i,
  problem: 'cannot call tools over Chat Completions while it reasons',
  advice: `Set reasoning_effort to "none", set tool_mode to "emulated", or ${OVER_RESPONSES}.`,
};

const TOOLS: Feature = {
  words: /\btools?\b|\btool[- ]?(use|call)|\bfunctions?([- ](call|tool)|\b)|tool_?config|工具|函数/i,
  problem: 'does not call tools',
  advice: 'Set tool_mode to "emulated", or choose a model that calls tools.',
};

/** The first matching feature counts. */
const FEATURES: Feature[] = [
  TOOLS_WHILE_REASONING,
  {
    words: /^background$|["'`]background["'`]|\bbackground[- ](mode|responses?|requests?|tasks?)\b/i,
    problem: 'does not answer in the background',
    advice:
      'Leave this model out of `background` of the provider in PAWL_PROVIDERS, or set OPENAI_BACKGROUND=0 for the provider openai.',
  },
  { ...TOOLS, words: /\btools\b\W{1,6}tool_choice/ },
  {
    words: /tool_?choice/i,
    problem: 'does not support this tool_choice',
    advice: 'Leave out tool_choice, or set it to "auto".',
  },
  {
    words: /parallel[_ ]tool|disable_parallel|single tool/i,
    problem: 'does not support parallel_tool_calls',
    advice: 'Leave out parallel_tool_calls.',
  },
  {
    words:
      /response[_ ]?(format|schema)|json[_ ]?(schema|object|mode|output)|structured[_ ]outputs?|output[_ ]?(config\.)?format|mime ?type|text\.format|responseFormat/i,
    problem: 'does not support this schema or format',
    advice: 'Set the mode of output_schema to "instructions", leave out text.format, or choose another model.',
  },
  {
    words: /\bstrict\b/i,
    problem: 'does not support strict tools',
    advice: 'Leave out `strict`.',
  },
  TOOLS,
  {
    words: /temperature.{1,20}top_?p|top_?p.{1,20}temperature/i,
    problem: 'does not support both temperature and top_p',
    advice: 'Leave out temperature or top_p.',
  },
  { words: /temperature/i, problem: 'does not support this temperature', advice: 'Leave out temperature.' },
  { words: /\btop_?p\b/i, problem: 'does not support top_p', advice: 'Leave out top_p.' },
  {
    words: /\bprefill/i,
    problem: 'does not continue an assistant message',
    advice: 'End the input with a message of the user.',
  },
  {
    words: /reasoning[. ]summar/i,
    problem: 'does not show summaries of its reasoning',
    advice: 'Leave out reasoning.summary.',
  },
  {
    words: /effort|think|reasoning|思考/i,
    problem: 'does not support this reasoning setting',
    advice: 'Leave out reasoning_effort and reasoning.summary, or set values that the model supports.',
  },
  { words: /verbosity/i, problem: 'does not support this verbosity', advice: 'Leave out verbosity.' },
  {
    words: /\bimages?\b|image_url|input_image|\bvision\b|\bvlm\b|multi-?modal|图片|图像/i,
    problem: 'does not read images',
    advice: 'Leave out images, or choose a model that reads images.',
  },
  {
    words: /\baudio\b|input_audio/i,
    problem: 'does not read audio',
    advice: 'Leave out audio, or choose a model that reads audio.',
  },
  {
    words: /\bfiles?\b|input_file|\bdocuments?\b|\bpdfs?\b/i,
    problem: 'does not read files of this kind',
    advice: 'Leave out files, or choose a model that reads such files.',
  },
  { words: /\bstop(_?sequences?)?\b/i, problem: 'does not support stop', advice: 'Leave out stop.' },
  { words: /\bseed\b/i, problem: 'does not support a seed', advice: 'Leave out seed.' },
  {
    words: /max_(completion_|output_)?tokens/i,
    problem: 'does not support this limit of tokens',
    advice: 'Leave out max_output_tokens, or set max_tokens_field for the provider.',
  },
  {
    words:
      /\bsystem[ _]?(message|prompt|role|instruction)|developer (instruction|message)|\.role\b.{0,40}(system|developer)|got \W?system\b/i,
    problem: 'does not support instructions',
    advice: 'Leave out instructions, or set roles to "user-only" for the provider.',
  },
  {
    words: /\bstream(ing)?\b|流式/i,
    problem: 'does not stream, and Pawl always streams',
    advice: ANOTHER_MODEL,
  },
  {
    words: /penalt/i,
    problem: 'does not support penalties',
    advice: 'Remove the penalties from provider_options.',
  },
];

export function featureIn(text: string): Feature | undefined {
  return FEATURES.find(({ words }) => words.test(text));
}
