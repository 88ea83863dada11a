import { expect, test } from 'vitest';
import { onEach, prepareWires, WIRES } from './every-wire.ts';

const wires = prepareWires();

test.each([
  ['LiteLLM', 400, { type: 'budget_exceeded', code: '400', message: 'Budget has been exceeded! Current cost: 10.2' }],
  ['LiteLLM', 400, { message: 'ExceededBudget: User=me over budget. Spend=10.2, Budget=10.0' }],
  ['Moonshot', 429, { type: 'exceeded_current_quota_error', message: 'Your account org-1 is suspended' }],
  ['Moonshot', 429, { message: 'Your account org-1 is suspended, please check your plan and billing details' }],
  ['Kimi', 403, { message: "You've reached your usage limit for this billing cycle" }],
  [
    'DashScope',
    400,
    { code: 'Arrearage', message: 'Access denied, please make sure your account is in good standing.' },
  ],
  [
    'DashScope',
    403,
    { code: 'AllocationQuota.FreeTierOnly', message: 'The free tier of the model has been exhausted.' },
  ],
  ['Zhipu', 429, { code: '1113', message: '您的账户已欠费，请充值后重试' }],
  ['Z.ai', 429, { code: '1308', message: 'Usage limit reached for 5 hour.' }],
  ['MiniMax', 429, { type: 'insufficient_balance_error', message: 'insufficient balance (1008)' }],
  ['SiliconFlow', 403, { code: 30001, message: 'Sorry, your account balance is insufficient' }],
  ['xAI', 403, { message: 'Your team has either used all available credits or reached its monthly spending limit.' }],
  ['xAI', 403, { message: "Your newly created team doesn't have any credits or licenses yet." }],
  ['Fireworks', 412, { message: 'Account me is suspended, possibly due to failure to pay past invoices.' }],
  ['OpenRouter', 402, { message: 'This request requires more credits, or fewer max_tokens.' }],
  ['OpenRouter', 429, { message: 'Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 requests.' }],
  ['new-api', 403, { code: 'insufficient_user_quota', message: '用户额度不足' }],
  ['Volcengine', 403, { code: 'AccountOverdueError', message: 'The account is closed.' }],
  ['Anthropic', 400, { message: 'Please go to Plans & Billing to upgrade or purchase credits.' }],
  ['Cohere', 429, { message: 'You are using a Trial key, which is limited to 1000 API calls / month.' }],
  ['Cloudflare', 429, { message: 'you have used up your daily free allocation of 10,000 neurons' }],
  ['DeepInfra', 403, { message: 'inference prohibited, please enter a Payment Method' }],
  ['OpenAI', 403, { message: 'Your account is not active, please check your billing details on our website.' }],
  ['Copilot', 429, { code: 'quota_exceeded', message: 'You have exceeded your Copilot token usage.' }],
  [
    'LiteLLM',
    401,
    { type: 'auth_error', message: 'Authentication Error, ExceededTokenBudget: Current spend: 7.2e-05' },
  ],
  ['LiteLLM', 429, { message: 'RateLimitError: OpenAIException - You exceeded your current quota, please check.' }],
  ['Vercel', 403, { message: 'AI Gateway requires a valid credit card on file to service requests.' }],
  ['OpenCode', 401, { type: 'CreditsError', message: 'No payment method. Add a payment method.' }],
  ['watsonx', 403, { code: 'token_quota_reached', message: 'This request exceeds the token quota for your plan.' }],
  ['Snowflake', 403, { message: 'exceeded the credit quota of resource monitor' }],
  ['new-api', 403, { message: '预扣费失败，用户剩余额度: $0.01, 需要预扣费额度: $0.02' }],
  ['Baidu', 429, { message: 'Open api daily request limit reached' }],
  ['no server', 429, { message: 'Monthly quota exceeded' }],
  ['no server', 429, { message: 'Your credits have been exhausted' }],
])('an exhausted quota at %s is quota_exceeded: a %i with %j', async (_, status, error) => {
  expect(await wires.codesOf(status, { error })).toEqual(onEach(WIRES, 'quota_exceeded'));
});

test.each([
  { type: 'rate_limit_reached_error', message: 'Your account org-1 request reached organization max RPM: 3' },
  { code: 'rate_limit_exceeded', message: 'Slow down' },
  { message: 'Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing' },
  { message: 'Please add a payment method to your account to increase your rate limit.' },
  { message: 'You exceeded your current quota, please check your plan and billing details. limit: 10' },
  { message: 'Too many tokens, please wait before trying again.' },
  { message: 'Requests have exceeded token rate limit of your current OpenAI S0 pricing tier.' },
  { code: 'insufficient_quota', message: 'You exceeded your current quota. See error-code#token-limit' },
  { message: 'Exceeded workspace input tokens per minute rate limit' },
  { code: 'token_quota_exceeded', type: 'too_many_tokens_error', message: 'Tokens per minute limit exceeded' },
  { message: 'OpenAIException - You exceeded your current quota, see https://ai.google.dev/gemini-api/docs' },
])('a 429 with %j stays a rate limit', async (error) => {
  expect(await wires.codesOf(429, { error })).toEqual(onEach(WIRES, 'provider_rate_limited'));
});

test.each([
  ['provider_rate_limited', 403, { message: 'RPM limit exceeded. Please complete identity verification.' }],
  ['provider_authentication_failed', 400, { message: 'Incorrect API key provided: xa***' }],
  ['provider_authentication_failed', 400, { message: 'Authentication Fails, Your api key: ****1234 is invalid' }],
  ['provider_authentication_failed', 403, { code: 'InvalidApiKey', message: 'Invalid API-key provided.' }],
  ['provider_authentication_failed', 400, { message: '无效的令牌' }],
  ['provider_authentication_failed', 403, { message: 'Your API key has been deactivated' }],
  ['provider_authentication_failed', 400, { message: 'Missing or invalid Authorization header.' }],
  ['provider_authentication_failed', 400, { message: 'bad request: Authorization header is badly formatted' }],
  ['provider_authentication_failed', 400, { message: 'Multiple authentication credentials received.' }],
  ['provider_authentication_failed', 403, { message: 'Bearer Token has expired' }],
  ['provider_authentication_failed', 500, { message: 'litellm.AuthenticationError: OpenAIException - No' }],
  ['provider_unavailable', 400, { message: 'Model unloaded.' }],
  ['provider_unavailable', 400, { message: 'The model has crashed without additional information.' }],
  ['provider_unavailable', 400, { code: 'do_request_failed', message: 'Upstream request failed' }],
  ['provider_unavailable', 400, { code: 'bad_response_status_code', message: 'openai_error' }],
  ['provider_unavailable', 400, { code: '1234', message: '网络错误' }],
  ['provider_unavailable', 400, { message: "Function id 'abc': DEGRADED function cannot be invoked" }],
  ['provider_authentication_failed', 401, { code: 'bad_response_status_code', message: 'openai_error' }],
  ['provider_permission_denied', 403, { code: 'bad_response_status_code', message: 'openai_error' }],
  ['provider_model_not_found', 400, { message: 'Model Not Exist' }],
  ['provider_model_not_found', 400, { message: 'Model x is not supported' }],
  ['provider_model_not_found', 400, { code: 'unknown_model', message: 'Unknown model: x' }],
  ['provider_model_not_found', 400, { code: 'model_decommissioned', message: 'The model `x` was taken away.' }],
  ['provider_model_not_found', 400, { code: '1211', message: '模型不存在，请检查模型代码。' }],
  ['provider_model_not_found', 503, { code: 'model_not_found', message: 'No available channel for model x' }],
  ['provider_model_not_found', 400, { code: 'unavailable_model', message: 'Unavailable model: x' }],
  ['provider_model_not_found', 400, { message: 'Unavailable model: x' }],
  ['provider_model_not_found', 400, { message: 'could not find real modelID for x' }],
  ['provider_model_not_found', 400, { message: 'Unable to access non-serverless model x.' }],
  ['provider_model_not_found', 400, { message: 'LLM Provider NOT provided. You passed model=x' }],
  ['provider_model_not_found', 400, { message: 'Retry your request with the ID or ARN of an inference profile' }],
  ['provider_model_not_found', 400, { message: 'LLM Module: Invalid request. model_name x not supported' }],
  ['provider_model_not_found', 400, { message: 'Model x is unavailable in your region.' }],
  ['provider_model_not_found', 503, { message: '当前分组 default 下对于模型 x 无可用渠道' }],
  [
    'provider_permission_denied',
    400,
    { code: 'model_terms_required', message: 'The model requires terms acceptance.' },
  ],
  [
    'provider_permission_denied',
    400,
    { code: 'organization_restricted', message: 'Organization has been restricted.' },
  ],
  ['provider_permission_denied', 400, { message: 'Your organization must be verified to stream this model.' }],
  ['provider_permission_denied', 429, { code: '1311', message: '当前订阅套餐暂未开放GLM-5权限' }],
  ['provider_permission_denied', 500, { message: 'your current token plan not support model, MiniMax-M3 (2061)' }],
  ['provider_invalid_request', 400, { code: 'OperationNotSupported', message: 'Images cannot be read.' }],
  ['provider_overloaded', 503, { code: 'slow_down', message: 'Slow down' }],
  ['provider_overloaded', 500, { code: '1305', message: '该模型当前访问量过大' }],
  ['provider_overloaded', 503, { code: 50505, message: 'Please try again later.' }],
  ['provider_overloaded', 503, { message: 'The server is busy' }],
  ['provider_bad_response', 400, { code: 'tool_use_failed', message: 'Tool call validation failed' }],
  ['provider_bad_response', 400, { code: 'json_validate_failed', message: 'Failed to generate JSON.' }],
  ['provider_bad_response', 400, { code: 'output_parse_failed', message: 'Parsing failed.' }],
  ['provider_bad_response', 400, { message: 'unexpected tokens remaining in message header: Some("to=functions.x")' }],
  ['provider_bad_response', 400, { message: 'Unexpected token 12606 while expecting start token 200006' }],
  ['provider_bad_response', 400, { message: 'Failed to parse tool call generated by the model' }],
  ['provider_bad_response', 400, { message: 'Model did not output valid JSON.' }],
  ['provider_bad_response', 400, { message: 'The model produced invalid content.' }],
  ['provider_invalid_request', 400, { message: 'Failed to parse tool call arguments as JSON: unexpected token' }],
  ['provider_invalid_request', 400, { message: 'Invalid tool call in messages[2]: not valid JSON' }],
])('the code is %s for a %i with %j', async (code, status, error) => {
  expect(await wires.codesOf(status, { error })).toEqual(onEach(WIRES, code));
});

test.each([
  ['NestJS', { statusCode: 400, error: 'Bad Request', message: 'Model Not Exist' }],
  ['xAI', { code: 'Client specified an invalid argument', error: 'Model not found: x' }],
  ['FastAPI', { detail: 'Model x does not exist' }],
  ['Cloudflare', { success: false, errors: [{ code: 7000, message: 'No such model x' }] }],
  ['Databricks', { error_code: 'MODEL_NOT_FOUND', message: 'Oh' }],
  ['a gateway', { error: { error: { code: 'model_not_found', message: 'Oh' } } }],
  ['a list', [{ error: { message: 'Unknown model x' } }]],
])('the error of a 400 is found in the shape of %s', async (_, body) => {
  expect(await wires.codesOf(400, body)).toEqual(onEach(WIRES, 'provider_model_not_found'));
});

test.each([
  [410, 'provider_model_not_found'],
  [420, 'provider_rate_limited'],
  [421, 'provider_unavailable'],
  [423, 'provider_unavailable'],
  [424, 'provider_unavailable'],
  [440, 'provider_authentication_failed'],
  [444, 'provider_unavailable'],
  [460, 'provider_unavailable'],
  [499, 'provider_unavailable'],
  [520, 'provider_unavailable'],
  [522, 'provider_timeout'],
  [530, 'provider_unavailable'],
])('a %i is %s if its message is unknown', async (status, code) => {
  expect(await wires.codesOf(status, { error: { message: 'Oh' } })).toEqual(onEach(WIRES, code));
});
