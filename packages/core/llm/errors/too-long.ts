/**
 * Tests by its words whether a refusal means that the history is too long, so that a shorter history would pass. Rate
 * limits, fields that are too long and a reply limit that is too high are not about the history.
 */
export const TOO_LONG = {
  test(message: string): boolean {
    if (PER_TIME.test(message) || FIELD.test(message)) return false;
    return WORDS.some((words) => words.test(message));
  },
};

/** Tests whether one request exceeds the tokens of a minute, so that it never passes (OpenAI, Groq). */
export const ABOVE_RATE = {
  test(message: string): boolean {
    const [, limit, requested] = /limit:? ([\d,]+).*requested:? ([\d,]+)/is.exec(message) ?? [];
    return /tokens? per|\bTP[MD]\b/i.test(message) && numberOf(requested) > numberOf(limit);
  },
};

/**
 * Returns whether the limit of the reply is the cause, and not the history. The numbers decide if the message has
 * them: the limit is the cause if it leaves less than a quarter of the context, or less than half of the history.
 */
export function blamesReplyLimit(message: string): boolean {
  const { limit, history, reply } = numbersIn(message);
  if (limit === null || reply === null) return REPLY_LIMIT.test(message);
  const room = limit - reply;
  if (room < limit / 4) return true;
  // vLLM stops its count at the limit: "at least 193 input tokens" does not show the length of the history.
  return history !== null && !/at least [\d,]+ input tokens/i.test(message) && room < history / 2;
}

/** Limits over time, with the tokens of many requests. */
const PER_TIME =
  /\bper[- ](second|min|hour|day|month)|\b[TR]P[MDS]\b|\b(daily|weekly|monthly|hourly)\b|rate[- _]?limit|throttl|too many requests|please wait/i;

/** Messages about one field that is too long, unless they count tokens. */
const FIELD =
  /^(?!.*\btokens?\b)(?!.*\bcontext\b).*\b(string|name|description|images?|audio|video|files?|pdf|schema|metadata|stop sequences?|tools?|tool_calls?|thinking_budget|budget_tokens)\b/is;

const HISTORY = '(?:prompt|inputs?|context|conversation|history|messages|sequence)';
const LENGTH = '(?:length|window|size|limit)';
const LONGER =
  '(?:exceed(?:s|ed|ing)?|overflow\\w*|(?:is |are |was )?(?:over the|(?:longer|larger|greater|more|bigger|higher) than))';
const MOST = "\\b(?:max(?:imum)?|available|allowed|configured|supported|model'?s)";
/** Names of the context length (llama.cpp, exllama, MLX, vLLM, TensorRT, TGI). */
const SETTING =
  '(?:n_ctx|num_ctx|max_seq_len|max_sequence_length|max_model_len|max_kv_size|max_num_tokens|max_input_\\w+|max_total_tokens|max_position_embeddings)';

const WORDS = [
  // OpenAI, DeepSeek, Mistral, xAI, Azure, OpenRouter, SGLang, vLLM, TensorRT, NIM, Ollama, Poolside.
  `${MOST} (?:\\w+ )?(?:context|prompt|input|model|sequence) (?:token )?(?:length|window|limit)`,
  `${MOST} context (?:size|reached|exceeded)|request (?:is )?too (?:long|large)\\b.{0,40}\\btokens\\b`,
  // Gemini, OpenAI's Responses, llama.cpp, Anthropic, MiniMax.
  `${LONGER}.{0,60}\\bcontext\\b`,
  `context (?:token )?${LENGTH} (?:is |was |has been )?(?:${LONGER}|reached|too (?:small|short)|not enough)`,
  `(?:reached|loaded with).{0,20} context length|context (?:the )?overflow|context(?: window)? is (?:full|exhausted)`,
  // Anthropic, Bedrock, Fireworks, Baidu, Kimi, Z.ai, Cohere, vLLM.
  `${HISTORY}(?: tokens?)?(?: length| size| count)?(?: \\([^)]{0,40}\\))?(?: is| are| was)? (?:too (?:long|large|big)|${LONGER} (?:the )?(?:max|limit|model|\\d))|message you submitted was too long|prompt is over the`,
  `(?:conversation|history|prompt|context|messages) (?:is |are |has |have )?(?:too many tokens|exceed\\w* .{0,40}(?:length|limit))`,
  'too many (?:input |prompt |total |context )?tokens',
  // Gemini, Vertex, Copilot, OpenAI's GPT-5, Volcengine, Databricks, AI21.
  `(?:number of |input |prompt |total |requested? )*(?<!_)tokens?(?: count| length)?\\b.{0,60}\\b${LONGER} .{0,40}(?:limit|max|allow|length|configured|context|\\d)`,
  'token count is [\\d,]+ but|[\\d,]+ tokens,? but .{0,20}(?:supports|allows|takes|accepts)',
  '(?:prompt|input|context)[_ ](?:length|tokens) \\(?[\\d,]+\\)? > ',
  `${LONGER} .{0,40}(?:\\btoken (?:limit|length)|max(?:imum)? (?:number of )?(?:input |prompt |message |total )?tokens)`,
  'token (?:limit|length) (?:is |was |has been )?exceed|max(?:imum)? tokens (?:of [\\d,]+ )?exceeded',
  // Poolside, GLM, TGI, Together, DashScope, GitHub Models.
  `(?:input|prompt|context|sequence)s?(?: token)? length.{0,40}${LONGER}`,
  '`?inputs`? (?:tokens \\+ `?max_new_tokens`? must be|must have less than [\\d,]+ tokens)',
  'range of input length|max input (?:characters|tokens)|too large for .{0,60}max size: [\\d,]+ tokens',
  // Groq, Cerebras, OpenAI, vLLM.
  'reduce the (?:length|size|number of tokens) (?:of|in) (?:the |your )?(?:input|messages|prompt|conversation|context)',
  // llama.cpp, exllama, TabbyAPI, MLX, TensorRT · SiliconFlow.
  `${LONGER} .{0,30}\\b${SETTING}\\b|\\bn_ctx\\b|ContextWindowExceeded|ContextOverflow`,
  `(?:tokens|length|prompt|inputs?)\\b.{0,30} must be (?:less|smaller|lower) than (?:or equal to )?[\`'"]?${SETTING}\\b`,
  // Older vLLM: its own default was below zero.
  'max_(?:completion_)?tokens must be .{0,30}got -\\d+',
  // OpenAI, Kimi: more messages, or more bytes in them, than the maximum of a request.
  "'?(?:messages|input|contents)'?:? array too long|total message size .{0,40}exceed",
  // Zhipu, DashScope, Tencent.
  '(?:输入|上下文|prompt|请求).{0,20}(?:过长|超长|超出|超过|太长)|tokens?.{0,10}(?:超出|超过|过长)',
].map((words) => new RegExp(words, 'is'));

/** Messages about the limit of the reply. */
const REPLY_LIMIT = new RegExp(
  [
    'max_?(?:completion_|output_|new_)?tokens\\b[\'"`]?(?: or [\'"`]?max_\\w+[\'"`]?)?:? .{0,60}(?:is too (?:large|high|big)|must be (?:less|at most|smaller|<|between|greater than [`\'"]?thinking)|should be (?:less|at most|between)|out of range|\\d+ > \\d+|(?:can|must )not exceed|exceeds? (?:the )?(?:max|limit|model|context))',
    '(?:valid )?range of [`\'"]?max_\\w*tokens|has a maxOutputTokens value|maximum tokens you requested',
    '(?<!input (?:tokens )?and )(?:max(?:imum)?|at most) (?:.{0,40}\\b)?(?:output|completion) tokens|completion tokens, whereas',
    'number of (?:requested )?(?:output|completion) tokens (?:is|exceeds|must|cannot)|thinking.?budget|budget_tokens',
  ].join('|'),
  'is',
);

type Numbers = { limit: number | null; history: number | null; reply: number | null };

/** Returns the tokens in a refusal: the maximum of the model, the length of the history, and the requested reply. */
function numbersIn(message: string): Numbers {
  const sum = /([\d,]+) \+ ([\d,]+) > ([\d,]+)/.exec(message);
  if (sum) return { history: numberOf(sum[1]), reply: numberOf(sum[2]), limit: numberOf(sum[3]) };
  const parts = [...message.matchAll(HISTORY_PART)].map((found) => numberOf(found[1] ?? found[2]));
  return {
    limit: firstNumber(LIMIT, message),
    history: parts.length > 0 ? parts.reduce((total, part) => total + part, 0) : null,
    reply: firstNumber(REPLY, message),
  };
}

/** vLLM, SGLang, TGI, OpenAI, DeepSeek, OpenRouter. */
const LIMIT = /(?:context|model) length (?:is|of) (?:only )?([\d,]+)|must be <= ([\d,]+)/i;
const REPLY =
  /([\d,]+) (?:tokens )?(?:in|for|of) (?:the |your )?(?:completion|output)|([\d,]+) (?:output tokens|`max_new_tokens`)|max_\w*tokens'? is too large: ([\d,]+)/i;
const HISTORY_PART =
  /([\d,]+) (?:tokens )?(?:in|of|from) (?:the |your )?(?:input messages|messages|prompt|functions|\w+ input)|([\d,]+) (?:input tokens|`inputs` tokens)/gi;

function firstNumber(pattern: RegExp, message: string): number | null {
  const found = pattern.exec(message)?.slice(1).find(Boolean);
  return found === undefined ? null : numberOf(found);
}

function numberOf(digits = ''): number {
  return Number(digits.replaceAll(',', ''));
}
