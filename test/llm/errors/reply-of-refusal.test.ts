import { expect, test } from 'vitest';
import { event } from '#test/llm/openai-wire.ts';
import { endEvent, messageItem, responseStream } from '#test/llm/responses-events.ts';
import { OWN_WIRES, prepareWires, refused, WIRES } from './every-wire.ts';

const wires = prepareWires();

const CUT = 'Could not finish the message because max_tokens or model output limit was reached. Please try again.';
const AZURE = { code: 'content_filter', status: 400, innererror: { code: 'ResponsibleAIPolicyViolation' } };

test.each([
  ['OpenAI', 400, { message: CUT, type: 'invalid_request_error', param: null, code: null }],
  [
    'Groq',
    400,
    { message: 'max completion tokens reached before generating a valid document', code: 'json_validate_failed' },
  ],
])('a refusal of %s at the token limit is a truncated reply: a %i with %j', async (_, status, error) => {
  for (const wire of WIRES) {
    const reply = await wires.ask(wire, refused(status, { error }));

    expect(reply, wire).toMatchObject({ text: null, calls: [], finishReason: 'length', usage: null });
  }
});

test.each([
  ['Azure', 400, { ...AZURE, message: 'The response was filtered' }],
  ['OpenAI', 400, { code: 'content_policy_violation', message: 'No.' }],
  ['OpenAI', 400, { code: 'invalid_prompt', message: 'Your prompt was flagged as potentially violating our policy' }],
  ['Anthropic', 400, { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' }],
  ['Moonshot', 400, { type: 'content_filter', message: 'The request was rejected as it was considered high risk' }],
  ['DashScope', 400, { code: 'data_inspection_failed', message: 'Input data may contain inappropriate content.' }],
  ['Zhipu', 400, { code: '1301', message: '系统检测到输入或生成内容可能包含不安全或敏感内容' }],
  ['DeepSeek', 400, { message: 'Content Exists Risk' }],
  ['xAI', 403, { message: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO' }],
  ['OpenRouter', 403, { message: 'Your input was flagged for "violence"' }],
  ['StepFun', 451, { type: 'censorship_blocked', message: 'The content you provided is blocked.' }],
  ['Volcengine', 400, { code: 'InputTextSensitiveContentDetected', message: 'No.' }],
  ['Portkey', 446, { type: 'hooks_failed', message: 'The guardrail checks defined in the config failed' }],
  ['new-api', 400, { code: 'sensitive_words_detected', message: 'No.' }],
  ['MiniMax', 400, { type: 'bad_request_error', message: 'input new_sensitive (1026)' }],
  ['MiniMax', 500, { type: 'server_error', message: 'output new_sensitive (1027)' }],
  ['Cloudflare', 424, [{ code: 2016, message: 'Prompt blocked due to security configurations' }]],
])('a refusal by a filter at %s is a filtered reply: a %i with %j', async (_, status, error) => {
  for (const wire of WIRES) {
    const reply = await wires.ask(wire, refused(status, { error }));

    expect(reply, wire).toMatchObject({ text: null, calls: [], usage: null });
    expect(reply.finishReason, wire).toBe('content_filter');
  }
});

test('the raw finish reason is the code of the refusal', async () => {
  const error = { ...AZURE, message: 'No' };

  expect((await wires.ask('openai', refused(400, { error }))).finishReasonRaw).toBe('content_filter');
  expect((await wires.ask('gemini', refused(400, { error: { message: CUT } }))).finishReasonRaw).toBe('max_tokens');
});

const inside = (status_code: number) => ({ choices: null, base_resp: { status_code, status_msg: 'new_sensitive' } });

test.each([1026, 1027])('base_resp %i inside a 200 is a filtered reply', async (code) => {
  const whole = { headers: { 'content-type': 'application/json' }, body: [JSON.stringify(inside(code))] };

  for (const wire of OWN_WIRES) {
    expect((await wires.ask(wire, whole)).finishReason, wire).toBe('content_filter');
  }
});

test('a refusal by the filter of Spark inside a 200 is a filtered reply', async () => {
  const error = { message: '输入内容审核不通过，涉嫌违规，请重新调整输入内容', type: 'api_error', code: '10013' };
  const whole = { headers: { 'content-type': 'application/json' }, body: [JSON.stringify({ error })] };

  for (const wire of OWN_WIRES) {
    expect((await wires.ask(wire, whole)).finishReason, wire).toBe('content_filter');
  }
});

test('a filter in mid-stream keeps the text so far', async () => {
  const started = (data: object) =>
    `event: ${'type' in data ? data.type : 'message'}\ndata: ${JSON.stringify(data)}\n\n`;
  const filtered = started({ error: { code: 'content_filter', message: 'No' } });
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Half' } };
  const candidates = [{ content: { parts: [{ text: 'Half' }] } }];
  const begun = responseStream([messageItem(['Half'])]);
  const failed = endEvent([], { status: 'failed', error: { code: 'content_filter', message: 'No' } });

  const replies = [
    await wires.ask('openai', { body: [event({ content: 'Half' }), filtered] }),
    await wires.ask('responses', { body: [...begun.slice(0, -1), filtered] }),
    await wires.ask('responses', { body: [...begun.slice(0, -1), failed] }),
    await wires.ask('pack', { body: [event({ content: 'Half' }), filtered] }),
    await wires.ask('anthropic', { body: [started(block), filtered] }),
    await wires.ask('gemini', { body: [started({ candidates }), filtered] }),
  ];

  for (const reply of replies) expect(reply).toMatchObject({ text: 'Half', finishReason: 'content_filter' });
  expect(replies).toHaveLength(6);
});

test.each([
  [400, { code: 'unknown_parameter', message: "Unknown parameter: 'content_filter'" }],
  [400, { message: 'max_tokens is too large' }],
  [400, { message: 'Invalid value for safety_settings' }],
  [401, { code: 'content_filter', message: 'No' }],
  [400, { message: '账号涉嫌违规，已被封禁' }],
  [424, { message: 'The model returned the following errors: internal' }],
  [429, { code: 'content_filter', message: 'Slow down' }],
])('a %i with %j is a failure and not a reply', async (status, error) => {
  for (const wire of WIRES) {
    expect((await wires.ask(wire, refused(status, { error }))).code, wire).toBeDefined();
  }
});
