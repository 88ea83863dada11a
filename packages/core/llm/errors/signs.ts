import { mayPass } from './code-of-status.ts';
import type { ProviderCode } from './name-failure.ts';
import type { SaidError } from './read-error.ts';
import { ABOVE_RATE, blamesReplyLimit, TOO_LONG } from './too-long.ts';
import { refusesFeature } from './unsupported-feature.ts';

/**
 * Returns the meaning of the words of an error, or null. One list serves every wire, since gateways quote other
 * servers.
 */
export function meaningOfSigns(said: SaidError): ProviderCode | null {
  const text = (said.message ?? '').slice(0, LONGEST);
  const known = SIGNS.find((sign) => AT[sign.at](said.status) && fits(sign, said, text));
  if (known?.means !== 'context_length_exceeded') return known?.means ?? null;
  return blamesReplyLimit(text) ? 'provider_invalid_request' : 'context_length_exceeded';
}

/** The part of a message that is read. */
const LONGEST = 4000;

/**
 * Returns whether a sign fits. It reads codes from the message too, since gateways quote the code of another server.
 */
function fits({ code, words, unless, matches }: Sign, said: SaidError, text: string): boolean {
  if (code && (said.codes.some((each) => code.test(each)) || code.test(text))) return true;
  return Boolean(words?.test(text) && !unless?.test(text)) || matches?.(said) === true;
}

/** One line of the list. `unless` excludes words, never a code. `matches` reads more than the message. */
type Sign = {
  means: ProviderCode;
  at: keyof typeof AT;
  code?: RegExp;
  words?: Pick<RegExp, 'test'>;
  unless?: Pick<RegExp, 'test'>;
  matches?: (said: SaidError) => boolean;
};

/** The statuses at which a sign counts. No status is known for an error inside a 200. */
const AT = {
  anywhere: () => true,
  /** Statuses that blame the request, so that neither time nor money helps. */
  request: (status: number | null) => isAboutRequest(status),
  /** The same statuses, and the statuses that gateways use for them. */
  wrapped: (status: number | null) => isAboutRequest(status) || (status !== null && status >= 500 && status <= 502),
  server: (status: number | null) => status === null || status >= 500,
  limited: (status: number | null) => status === 413 || status === 429,
  rated: (status: number | null) => status === null || status === 413 || status === 429,
  vague: (status: number | null) => status === null || status === 400 || status === 403,
  /** The status that many servers give to every error. */
  general: (status: number | null) => status === null || status === 400,
  unsaid: (status: number | null) => status === null,
};

function isAboutRequest(status: number | null): boolean {
  return status === null || (status >= 400 && status < 500 && status !== 402 && !mayPass(status));
}

const PER_MINUTE = /\bper[- ](second|min)|\b[TR]P[MS]\b|\brate[- ]limit/i;

/** The first matching sign decides. */
const SIGNS: Sign[] = [
  // OpenAI, Groq: one request is larger than the limit of a minute.
  { means: 'context_length_exceeded', at: 'rated', words: ABOVE_RATE },
  // DashScope sends the code of a used-up quota for a limit per minute. MiniMax's and Anthropic's codes have no
  // status.
  {
    means: 'provider_rate_limited',
    at: 'limited',
    words: /allocated quota exceeded|error-code#(token|rate)-?limit|request rate increased too quickly/i,
  },
  { means: 'provider_rate_limited', at: 'unsaid', code: /^rate_limit(_reached)?_error$|^rate_limit_exceeded$/ },
  // Cerebras, SiliconFlow and Baidu send a code for money or for the request's length for a limit per minute.
  {
    means: 'provider_rate_limited',
    at: 'anywhere',
    words:
      /\b([QRT]P[MS]|(requests|tokens) per (second|minute))( request| token)? limit (is |was |has been )?(reached|exceeded)/i,
    unless: ABOVE_RATE,
  },
  // OpenAI, DeepSeek, xAI, MiniMax, new-api · OpenAI · Anthropic · LiteLLM · Moonshot · DashScope · Volcengine ·
  // OpenCode, watsonx, Copilot.
  {
    means: 'quota_exceeded',
    at: 'anywhere',
    code: /insufficient_(\w+_)?(quota|credits?|balance|funds)|billing_(hard_limit|not_active|unavailable|error)|spend_limit_reached|budget_exceeded|exceeded_current_quota|usage_limit_(reached|exceeded)|credits?_(exhausted|depleted|limit)|payment_?required|quota_failed|Arrearage|FreeTierOnly|AccountOverdue|SetLimitExceeded|Exceeded[a-z]+Budget|CreditsError|token_quota_reached|^quota_exceeded$/i,
  },
  // Zhipu and Z.ai: arrears, a limit per day, per plan, per week or month. SiliconFlow: balance.
  { means: 'quota_exceeded', at: 'anywhere', code: /^(1113|1304|1308|1309|1310|30001)$/ },
  // Anthropic, DeepSeek, SiliconFlow, xAI, NVIDIA, Together, Novita, Snowflake, Vercel: credits and balance.
  {
    means: 'quota_exceeded',
    at: 'anywhere',
    words:
      /insufficient (account )?(balance|credits?|funds)|(balance|credits?|quota) (is |are |was |were |has been |have been )?(insufficient|too low|not enough|negative|exhausted|depleted|expired|used up)|((not|n't) have( any)?|no( available| remaining| more)?|without|out of|run out of|used all available|not enough|purchase( more)?|add( more)?) credits|exceeded the credit quota|requires a valid (credit card|payment method)|not enough (balance|funds)|credit limit|prepa(y|id).{0,40}(depleted|exhausted)/i,
    unless: PER_MINUTE,
  },
  // LiteLLM, OpenAI, Hugging Face, Cohere, Cloudflare, Copilot, Kimi, Baidu, the plans of Anthropic and Z.ai.
  {
    means: 'quota_exceeded',
    at: 'anywhere',
    words:
      /(?<!thinking )budget (has been |was |is |limit )?(exceeded|reached)|(exceeded|reached) .{0,20}(?<!thinking )budget|exceeded ?budget|over budget|\b(spend(ing)?|billing|key)( hard)? (cap|limit)|usage limits? (has been |was )?(reached|exceeded)|(reached|exceeded|hit) (your |the |its )?(\w+ ){0,3}usage limits?|(exceeded|used up|reached) (your|the|its) .{0,30}\b(included|monthly|free|month)\b|monthly .{0,20}(exceeded|reached)|used up .{0,60}(allocation|quota|allowance)|exceeded .{0,40}allowance|calls? ?\/ ?month|(subscription|plan|trial) (has |is )?(expired|ended)|extra usage is required|free tier .{0,40}exhausted|\b(daily|total) request limit (is |was |has been )?(reached|exceeded)/i,
    unless: PER_MINUTE,
  },
  // Moonshot, Fireworks, OpenAI, DeepInfra: the account. OpenRouter and GitHub Models: limits per day.
  {
    means: 'quota_exceeded',
    at: 'anywhere',
    code: /free-models-per-day|ByModelByDay/,
    words:
      /suspended.{0,120}\b(billing|spend|pay|payment|invoices?|balance|recharge)|account is not active.{0,40}billing|(in |account )arrears|overdue (payment|bill|balance|invoice)|(account|payment) .{0,20}overdue|payment required|make a payment|please (recharge|top[- ]?up)|inference prohibited/i,
  },
  // LiteLLM quotes OpenAI without its code. Gemini uses the same words for a limit per minute.
  {
    means: 'quota_exceeded',
    at: 'anywhere',
    words: /OpenAIException - You exceeded your current quota|exceeded your current quota.*platform\.openai\.com/is,
    unless: /\blimit: |ai\.google\.dev/i,
  },
  // DashScope, Zhipu, MiniMax, new-api.
  {
    means: 'quota_exceeded',
    at: 'anywhere',
    words: /余额不足|预扣费(额度)?失败|欠费|请.{0,4}充值|(额度|配额|套餐).{0,6}(不足|用尽|用完|耗尽|到期|过期)/,
  },
  // Groq, Cerebras, SambaNova, OpenAI, vLLM: the model wrote an invalid call or JSON. A retry may help.
  {
    means: 'provider_bad_response',
    at: 'anywhere',
    code: /tool_use_failed|json_validate_failed|(output|tool_call)_parse_failed|invalid_(json_generated|model_output)/,
    words:
      /unexpected tokens remaining in message header|unexpected token \d+ while expecting|failed to parse .{0,40}generated by the model|model generated output that could not be parsed|model (did not|didn't|failed to) (output|generate|produce) (a )?valid|model (output|generated|produced) (invalid|malformed) /i,
  },
  // OpenAI, llama.cpp, LiteLLM, Copilot, GitHub Models, Baidu.
  {
    means: 'context_length_exceeded',
    at: 'wrapped',
    code: /context_?(length|window|size|limit)_?(is_)?(exceed|error|overflow)|exceed_context|context_overflow|(prompt|input|context|tokens|characters)_too_(long|large)|tokens_limit_reached|max_prompt_tokens_exceeded|token_limit_exceeded|too_many_tokens/i,
  },
  // Zhipu and Z.ai · Baidu.
  { means: 'context_length_exceeded', at: 'request', code: /^(1261|336007|336103)$/ },
  { means: 'context_length_exceeded', at: 'wrapped', words: TOO_LONG },
  // OpenAI, Anthropic, Moonshot, DashScope, Google, Volcengine · AWS.
  {
    means: 'provider_authentication_failed',
    at: 'request',
    code: /(invalid|incorrect|missing|expired)_?api_?key|api_?key_?(invalid|expired|missing|not_found)|^auth(entication)?_?error$|authentication_error|invalid_authentication|UnrecognizedClient|ExpiredToken|InvalidSignature|SignatureDoesNotMatch/i,
  },
  // OpenAI, Gemini, DeepSeek, MiniMax, Zhipu, Azure, AWS.
  {
    means: 'provider_authentication_failed',
    at: 'request',
    words:
      /(incorrect|invalid|missing|wrong|unknown|expired|revoked|no) (x-)?api[- _]?key|api[- _]?key\b.{0,40}\b(not valid|not found|expired|(is )?invalid|missing|incorrect|revoked|leaked|disabled|deactivated|required|not provided)|provide an api[- _]?key|authentication (fails|failed|error)|invalid (authentication|credentials|subscription key|(access|auth|bearer) token)|token (is )?expired or incorrect|security token .* (invalid|expired)|AWS credentials|default credentials/i,
  },
  // Gemini, Copilot, AWS.
  {
    means: 'provider_authentication_failed',
    at: 'request',
    words:
      /(missing|invalid|malformed)( or (missing|invalid|malformed))? authorization header|authorization header (is )?(badly|missing|invalid|malformed|required)|\b(bearer|access) token (has |is )?expired|multiple authentication credentials|request signature we calculated does not match/i,
  },
  // LiteLLM wraps the refusal of a key in a 500.
  { means: 'provider_authentication_failed', at: 'wrapped', words: /^(litellm\.)?AuthenticationError:/ },
  // Zhipu, DashScope, new-api.
  {
    means: 'provider_authentication_failed',
    at: 'request',
    words: /身份验证失败|(令牌|密钥|api ?key).{0,12}(无效|错误|过期|不正确)|无效的(令牌|密钥|api ?key)/i,
  },
  // Groq, OpenAI · Zhipu, MiniMax: the account or its plan may not use the model.
  {
    means: 'provider_permission_denied',
    at: 'request',
    code: /^(model_terms_required|organization_restricted)$/,
    words: /organization must be verified/i,
  },
  {
    means: 'provider_permission_denied',
    at: 'anywhere',
    code: /^1311$/,
    words: /\bplan (does )?not support (the |this )?model\b/i,
  },
  // OpenAI, Azure, Copilot. `unsupported-feature.ts` has the words of all other servers.
  {
    means: 'model_unsupported_feature',
    at: 'wrapped',
    code: /\bunsupported_(value|parameter|model|api_for_model)\b/,
    matches: refusesFeature,
  },
  // one-api.
  { means: 'provider_model_not_found', at: 'anywhere', words: /无可用渠道/ },
  // OpenAI, Azure, Baidu, DashScope, Volcengine, GitHub Models, Copilot, Groq. new-api sends a 503.
  {
    means: 'provider_model_not_found',
    at: 'anywhere',
    code: /model_?not_?(found|exist|supported|open)\b|DeploymentNotFound|^(invalid|unknown|unsupported)_model$|model_decommissioned|InvalidEndpointOrModel|^1211$/i,
  },
  // GitHub Models, Copilot, Together · llama-swap, Together, Azure, LiteLLM, Bedrock, SAP, Snowflake, NVIDIA.
  {
    means: 'provider_model_not_found',
    at: 'request',
    code: /^(unavailable_model|model_not_available)$/,
    words:
      /\bunavailable model:|could not find real modelID|non-serverless model|LLM Provider NOT provided|(ID or ARN of an|with an) inference profile|\bmodel_name [\w./:@'"`-]+ (is )?not supported|\bmodel .{0,80}(unavailable in your region|reached (its|the) end of (its )?life)/i,
  },
  // OpenRouter, OpenAI, DeepSeek, Ollama, Groq, SiliconFlow, Bedrock, LM Studio.
  {
    means: 'provider_model_not_found',
    at: 'request',
    words:
      /not a (valid|supported) model|model is not supported when using|\b(unknown|invalid|no such|could not find) model\b|\bunsupported model:|model identifier is invalid|model\b(?:[^.]|\.\S){0,120}(does not exist|not exist|not found|decommissioned|been (retired|deprecated))|not found the model|model [\w./:@'"`-]+ is not (available|supported)|deployment .{0,60}(does not exist|not found)|no models? (is |are )?loaded|模型.{0,40}(不存在|未找到)|未找到模型/i,
  },
  // Anthropic, OpenAI, Moonshot, Volcengine, Groq, Gemini, SiliconFlow, Zhipu.
  {
    means: 'provider_overloaded',
    at: 'server',
    code: /overloaded|^slow_down$|^(1305|1312|50505)$/i,
    words:
      /overloaded|(over|at) capacity|(high|heavy) (demand|load|traffic)|(server|system|engine|service|model) (is )?(too |currently )?busy|no (healthy|available) (upstream|workers?|instances?|capacity)|访问量过大|(系统|服务器?).{0,4}繁忙|负载.{0,4}(过高|饱和)/i,
  },
  // Moonshot, Bedrock, Databricks, DashScope, Zhipu.
  {
    means: 'provider_rate_limited',
    at: 'vague',
    code: /rate_?limit|throttl|too_?many_?requests|REQUEST_LIMIT_EXCEEDED|limit_burst_rate|^(1302|1303)$/i,
    words: /rate limit (is |was |has been )?(reached|exceeded|hit)|too many requests/i,
  },
  // new-api, Zhipu · LM Studio, NVIDIA: the request is not the cause.
  {
    means: 'provider_unavailable',
    at: 'general',
    code: /^(do_request_failed|bad_response_status_code|1234)$/,
    words: /^\W*model unloaded\b|model has crashed|DEGRADED function/i,
  },
];
