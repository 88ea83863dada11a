import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createMistral } from '@ai-sdk/mistral';
import { APICallError } from '@ai-sdk/provider';
import { createMistral as createEarlierMistral } from 'ai-sdk-mistral-v3';
import { expect, test } from 'vitest';
import { aiSdkProvider } from '#core/llm/ai-sdk/ai-sdk-provider.ts';
import type { MakePackage } from '#core/llm/ai-sdk/package/load-packages.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { bedrockWire } from '#test/llm/ai-sdk/bedrock-wire.ts';
import { mistralWire } from '#test/llm/ai-sdk/mistral-wire.ts';
import { finished, scriptedPackage } from '#test/llm/ai-sdk/scripted-package.ts';
import { providerExam, someRequest } from '#test/llm/provider-exam.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();

const mistral = (make: MakePackage) => (origin: string) =>
  aiSdkProvider({ name: 'mistral', make, options: { apiKey: 'some-secret-key', baseURL: `${origin}/v1` }, post });
const bedrock = (origin: string) =>
  aiSdkProvider({
    name: 'bedrock',
    make: createAmazonBedrock,
    options: { region: 'eu-central-1', apiKey: 'some-secret-key', baseURL: origin },
    post,
  });

providerExam('ai-sdk with @ai-sdk/mistral', mistral(createMistral), mistralWire);
providerExam('ai-sdk with the version before of @ai-sdk/mistral', mistral(createEarlierMistral), mistralWire);
providerExam('ai-sdk with @ai-sdk/amazon-bedrock', bedrock, bedrockWire);

const signal = new AbortController().signal;

/** Asks Bedrock with signing keys, like AWS requires. Returns the reply and the request. */
async function askSigned(answer: Answer) {
  await using server = await startWireServer(answer);
  const keys = {
    accessKeyId: 'AKIA0123456789',
    secretAccessKey: 'secret-that-signs',
    sessionToken: 'token-that-signs',
  };
  const options = { region: 'eu-central-1', baseURL: server.origin, ...keys };
  const provider = aiSdkProvider({ name: 'bedrock', make: createAmazonBedrock, options, post });
  const reply = await provider.ask(someRequest, signal, () => undefined).catch((error: unknown) => error);
  return { reply, asked: server.asked[0]! };
}

test('the package signs a request, which is sent as it was signed', async () => {
  const { reply, asked } = await askSigned({ body: bedrockWire.reply({ text: ['Hi.'] }) });

  expect(reply).toMatchObject({ text: 'Hi.' });
  expect(asked.path).toBe('/model/some-model/converse-stream');
  expect(asked.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIA0123456789\//);
  expect(asked.body).toMatchObject({
    system: [{ text: 'Be brief.' }],
    messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
  });
});

test('the error of a refused signature shows no key and no token', async () => {
  const message =
    'The signature does not match. The canonical request was x-amz-security-token:token-that-signs, AKIA0123456789';
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': 'InvalidSignatureException' };

  const { reply } = await askSigned({ status: 403, headers, body: [JSON.stringify({ message })] });

  expect(reply).toMatchObject({
    code: 'provider_authentication_failed',
    provider: { status: 403, code: 'InvalidSignatureException' },
    message: expect.stringContaining('x-amz-security-token:[redacted], [redacted]'),
  });
});

test('a model name with path characters is one segment of the path', async () => {
  await using server = await startWireServer(bedrockWire.refusal(404));

  const asking = bedrock(server.origin).ask({ ...someRequest, model: '../../other?x=1' }, signal, () => undefined);

  await expect(asking).rejects.toMatchObject({ code: 'provider_model_not_found', retry: { kind: 'never' } });
  expect(server.asked[0]!.path).toBe('/model/..%2F..%2Fother%3Fx%3D1/converse-stream');
});

test('a package that refuses state is asked again without it, with equal call ids', async () => {
  const about = { url: 'https://a.example', requestBodyValues: {}, statusCode: 400 };
  const refusal = new APICallError({ ...about, message: 'Invalid `signature` in `thinking` block' });
  const { ask, called } = scriptedPackage([finished()], { refusal });
  const signature = { acme: { signature: 'SIGNED' } };
  const parts = [
    { reasoning: 'Hm', metadata: signature },
    { call: 0, id: 'look:0' },
  ];
  const history = (isRefused: boolean): RoundRequest['messages'] => [
    {
      ...{ role: 'assistant', content: null, calls: [{ id: 'call_1', name: 'look', arguments: '{}' }] },
      opaque: { provider: 'acme', state: { parts }, ...(isRefused ? { isRefused } : {}) },
    },
    { role: 'tool', callId: 'call_1', name: 'look', content: '22', isError: false },
  ];
  const tools = [Tool.parse({ name: 'look' })];

  const { reply } = await ask({ messages: history(false), tools, declaredTools: tools });
  await ask({ messages: history(true), tools, declaredTools: tools });

  const [first, again, later] = called.map(({ prompt }) => JSON.stringify(prompt));
  expect(reply).toMatchObject({ leftStateOut: true });
  expect([first, again].map((prompt) => prompt!.includes('SIGNED'))).toEqual([true, false]);
  expect([first, again].map((prompt) => prompt!.split('look:0').length)).toEqual([3, 3]);
  expect(later).toBe(again);
});
