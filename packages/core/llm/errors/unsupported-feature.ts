import {
  ANOTHER_MODEL,
  featureIn,
  OVER_CHAT,
  OVER_RESPONSES,
  TOOLS_WHILE_REASONING,
  type Unsupported,
} from './feature.ts';
import { hostedFeatureIn } from './hosted-feature.ts';

/** The message of a refusal, its code, and the field that it names. */
type RefusalText = { message: string | null; param: string | null; code?: string | null };

/** Returns whether a refusal says that the model lacks a feature of the request. */
export function refusesFeature({ message, param }: RefusalText): boolean {
  const whole = (message ?? '').slice(0, LONGEST);
  if (hostedFeatureIn(whole)) return true;
  if (ANOTHER_CAUSE.test(whole) || IN_A_SCHEMA.test(param ?? '')) return false;
  if (BLAMES_WIRE.test(whole) || BLAMES_SERVER.test(whole)) return true;
  const text = withoutModelNames(whole);
  const names = (param !== null && param !== 'model') || featureIn(text) !== undefined || fieldIn(text) !== null;
  return names && BLAMES_MODEL.test(text);
}

/** Returns the feature that the model lacks. The named field decides before the message. */
export function unsupportedIn({ message, param, code }: RefusalText): Unsupported {
  const text = withoutModelNames((message ?? '').slice(0, LONGEST));
  if (TOOLS_WHILE_REASONING.words.test(text)) return TOOLS_WHILE_REASONING;
  const hosted = hostedFeatureIn(text);
  if (hosted) return hosted;
  if (BLAMES_WIRE.test(text) || /^unsupported_(model|api)/.test(code ?? '')) return wireIn(text);
  const known = (param && featureIn(param)) || featureIn(text);
  if (known) return known;
  if (param === 'model') return wireIn(text);
  const field = param ?? fieldIn(text);
  const problem = field ? `does not support \`${field.slice(0, 60)}\`` : 'does not support a part of the request';
  return { problem, advice: field ? 'Leave the field out, or choose another model.' : ANOTHER_MODEL };
}

/**
 * Returns the problem of a wire that lacks the model. The advice names OpenAI's other wire only if the server names a
 * wire.
 */
function wireIn(text: string): Unsupported {
  const other = LACKS_RESPONSES.test(text) ? OVER_CHAT : WANTS_RESPONSES.test(text) ? OVER_RESPONSES : null;
  const advice = other ? `Choose another model, or ${other}.` : ANOTHER_MODEL;
  return { problem: 'is not offered by this API', advice };
}

/** The length of the part of a message that is read. */
const LONGEST = 4000;

/** Removes the names of models from a text. They may contain the word of a feature: `kimi-k2-thinking`. */
function withoutModelNames(text: string): string {
  return text.replace(/\b(models?)[/ ]["'`]?[\w.:/]*-[\w.:/-]*["'`]?/gi, '$1');
}

function fieldIn(text: string): string | null {
  return FIELD.exec(text)?.slice(1).find(Boolean) ?? null;
}

const FIELD =
  /\b(?:parameter|value|argument|field)(?:\(?s\)?)?:? ["'`]([\w.[\]-]{1,60})["'`]|["'`](\w{1,60})["'`] (?:is|are) not supported|\bsupport (?:the )?[`'"]?([a-z]{2,30}_[a-z_]{2,30})/i;

/** The model is offered by the Responses API: OpenAI · Copilot, Azure. */
const WANTS_RESPONSES =
  /\bonly (supported|available) in \W?v1\/responses|(not accessible via|does not work with).{0,40}(chat\/completions|model)|chatCompletion operation/i;

/** The model is not offered by the Responses API: OpenAI, Copilot · Azure. */
const LACKS_RESPONSES =
  /\bnot (?:accessible|supported|available) (?:via|in|with|on) (?:the )?\W?(?:\/?v1\/)?responses\b|\bcannot be used with the responses api|\bresponses operation (?:does not work|is unsupported|is not supported)|\bresponses api is (?:only )?enabled only\b/i;

/** The account, the region or a value of the request is the cause. Another model would not help. */
const ANOTHER_CAUSE =
  /^\W*invalid (json schema|schema|value)\b|\bvalidation errors? for\b|\b(your|free) (plan|account|organi[sz]ation|subscription|tier|region|models)\b|\bcross-region\b|\b\d+ ?[KMG]B\b|must be between|\bfor 'role:|without .?tools=|\b(more than|above|up to|at most) [1-9]/i;

/** A keyword of a schema is refused, not the feature. */
const IN_A_SCHEMA = /\.(parameters|input_schema|schema)\b/;

/** Another API has the model, or its tools: OpenAI, Copilot, Azure, vLLM, Ollama, watsonx. */
const BLAMES_WIRE = new RegExp(
  [
    '\\btools with reasoning_effort\\b|\\bonly (?:supported|available) in \\W?v1/\\w+',
    '\\bmodels?\\b.{0,100}\\bnot (?:accessible|supported) (?:via|in|with|for|by|on) (?:the )?\\W?(?:v1)?/?(?:chat/completions|responses|chat completions)\\b',
    "\\bnot a chat model|does not support (?:the )?\\W?(?:/?v1/)?(?:chat completions|chat/completions|completions|responses|chat$|function 'function_)",
    'cannot be used with the responses api|responses operation does not work with|responses api is (?:only )?enabled only',
    'completions? operation does not work with|\\b(?:responses|completions?) operation is (?:unsupported|not supported)',
  ].join('|'),
  'i',
);

/**
 * The server offers the model without the feature: vLLM, llama.cpp, OpenRouter, gateways of Anthropic, Ollama,
 * DeepSeek, Gemini, SiliconFlow.
 */
const BLAMES_SERVER = new RegExp(
  [
    'tool choice requires\\b|\\btool(?:s|_choice) param requires|at most 0 (?:image|audio|video)',
    'no (?:\\w+ )?(?:endpoints?|providers?) (?:found that )?(?:can )?(?:supports?|handle)',
    "input tag '(?:web_search|web_fetch|code_execution)_\\d{8}' found using",
    'is not a (?:multimodal|vlm|vision)|missing data required for (?:image|audio)|unknown variant \\W?(?:image_url|input_audio|file)\\b',
    '(?:request is not supported by|using does not support this request)|reasoning is mandatory|roles are supported, got \\W?system',
  ].join('|'),
  'i',
);

const NOT_SUPPORTED =
  '(?:not (?:currently |yet |be )*(?:supported|enabled|allowed|available|accepted|configurable)|unsupported|deprecated|both be specified|only (?:supported|enabled|allowed|available)|only (?!\\d+ (?!is )).{1,40}(?:supported|allowed|accepted))';
const DOES_NOT = "(?:do(?:es)?(?: not|n['’]t) (?:currently |yet )?support)";
const NAMED =
  '(?:(?:programmatic )?tools?|tool[ _](?:use|calls?|calling|choice)|functions?|function call(?:s|ing)|thinking(?:_config|[_ ]level| mode)?|think value|reasoning(?:[_ ]effort)?|temperature|top_p|stop|seed|verbosity|json (?:mode|output)(?: response)?|response_?format|json_schema|structured outputs?|output format|system(?: role|[_ ]instructions?| messages?| prompts?)|developer instructions?|images?(?: input)?|vision|audio(?: input)?|pdfs?(?: input)?|stream(?:ing)?|multi-?modal|prefill)';

const BLAMES_MODEL = new RegExp(
  [
    // OpenAI, Azure, and gateways that quote them.
    '\\bunsupported (?:param(?:eter)?s?|values?|arguments?)\\b',
    // OpenAI, Groq, xAI, Mistral, Perplexity, Gemini, Vertex, Anthropic.
    `\\b${NOT_SUPPORTED}\\b.{0,60}\\b(?:with|by|for|on|in) (?:[\\w-]+ )?models?\\b`,
    `\\b(?:with|by|for|on|in) (?:this|the) model\\b.{0,60}\\b${NOT_SUPPORTED}\\b`,
    // Anthropic, Bedrock, xAI, LM Studio, Groq.
    `\\bmodels?\\b.{0,100}\\b${DOES_NOT}\\b`,
    `\\b${DOES_NOT}\\b.{0,60}\\b(?:with|by|for|on|in) (?:this|the) model\\b`,
    // Ollama, DeepSeek, LiteLLM, Anthropic, llama.cpp.
    `\\b${DOES_NOT} (?:parameters?:? |this |the )?\\W{0,3}${NAMED}\\b`,
    // Gemini, Databricks, vLLM, Kimi, Cerebras, Azure.
    `\\b${NAMED}\\W{0,3}(?: parameter)?(?: \\W\\w+\\W| (?:=|with|value|\\w+ing) .{1,40}?)? (?:is |are )?(?:currently )?(?:not (?:currently )?(?:supported|enabled)|unsupported|incompatible with)`,
    // Groq · Anthropic · Groq, LM Studio, Azure.
    `\\b${NAMED} cannot be combined with|may not be enabled when|\\btemperature\\W{0,2} may only be set to`,
    '(?:reasoning_effort|response_format(?:\\.type)?)\\W{0,2} must be (?:one of )?\\W',
    // DashScope · Copilot, Together, Bedrock · Gemini, vLLM · Gemini · DeepSeek · DashScope.
    '\\btool_choice .{0,20}(?:does not support being set|is incompatible)|\\bthe tool call is not supported',
    '(?:not supported|unsupported) for (?:vision|json|function|tool|structured|images?|audio|streaming)',
    '\\bmodel only (?:works|supports) (?:in )?(?:thinking|single tool)',
    '(?:function calling|tool use) with a response mime type|response_format type is unavailable|parameter is restricted to',
    // Zhipu.
    '不支持.{0,6}(?:图片|图像|工具|函数|tools|思考|流式)',
  ].join('|'),
  'i',
);
