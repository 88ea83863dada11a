import { type GenerateContentParameters, type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { test as base, expect } from 'vitest';
import { startSimulator } from '#simulator/start-simulator.ts';
import { opening } from '#test/harness/opening.ts';

async function askContents() {
  const simulator = await startSimulator();
  const httpOptions = { baseUrl: `http://127.0.0.1:${simulator.port}`, retryOptions: { attempts: 1 } };
  const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions });
  return {
    create: (sim: object, params: Partial<GenerateContentParameters> = {}) =>
      models.generateContent(paramsOf(sim, params)),
    async stream(sim: object, params: Partial<GenerateContentParameters> = {}) {
      const chunks: GenerateContentResponse[] = [];
      for await (const chunk of await models.generateContentStream(paramsOf(sim, params))) chunks.push(chunk);
      return chunks;
    },
    [Symbol.asyncDispose]: () => simulator.stop(),
  };
}

function paramsOf(sim: object, params: Partial<GenerateContentParameters>): GenerateContentParameters {
  return { model: 'demo', contents: [{ role: 'user', parts: [{ text: JSON.stringify({ sim }) }] }], ...params };
}

const test = base.extend('model', opening(askContents));

const functionDeclarations = [{ name: 'get_weather', parametersJsonSchema: { type: 'object' } }];
const config = { tools: [{ functionDeclarations }] };
const rounds = [
  { reasoning: 'Hm.', say: 'Let me look.', tools: [{ name: 'get_weather', arguments: { city: 'Tokyo' } }] },
];

test('a content has thoughts, text and signed calls, as a whole and as a stream', async ({ model }) => {
  const whole = await model.create({ rounds }, { config });
  const streamed = await model.stream({ rounds, piece_chars: 100 }, { config });

  const parts = [
    { text: 'Hm.', thought: true },
    { text: 'Let me look.' },
    { functionCall: { name: 'get_weather', args: { city: 'Tokyo' } }, thoughtSignature: expect.any(String) },
  ];
  expect(whole.candidates).toMatchObject([{ content: { role: 'model', parts }, finishReason: 'STOP' }]);
  expect(streamed.flatMap(({ candidates }) => candidates![0]!.content!.parts!)).toMatchObject([...parts, { text: '' }]);
  expect(streamed.at(-1)).toMatchObject({
    candidates: [{ finishReason: 'STOP' }],
    usageMetadata: { totalTokenCount: expect.any(Number) },
  });
});

test('a content after a result of a tool quotes the result', async ({ model }) => {
  const said = { role: 'user', parts: [{ text: JSON.stringify({ sim: { rounds, answer: 'It says: {{results}}' } }) }] };
  const call = { functionCall: { name: 'get_weather', args: {} }, thoughtSignature: 'c2ltdWxhdGVk' };
  const result = { functionResponse: { name: 'get_weather', response: { output: 'Sunny' } } };

  const { text } = await model.create(
    {},
    { config, contents: [said, { role: 'model', parts: [call] }, { role: 'user', parts: [result] }] },
  );

  expect(text).toBe('It says: Sunny');
});

test('a content respects the mode of calls and the schema of its output', async ({ model }) => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const toolConfig = (mode: string) => ({ ...config, toolConfig: { functionCallingConfig: { mode } } }) as object;

  const none = await model.create({ rounds }, { config: toolConfig('NONE') });
  const any = await model.create({}, { config: toolConfig('ANY'), contents: 'Hi' });
  const json = await model.create({}, { config: { responseMimeType: 'application/json', responseJsonSchema: schema } });

  expect(none.text).toBe('Done.');
  expect(any.functionCalls).toMatchObject([{ name: 'get_weather' }]);
  expect(json.text).toBe('{"city":"city"}');
});

const unsigned = { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: {} } }] };
const orphan = { functionResponse: { name: 'get_weather', response: {} } };
const said = { role: 'user', parts: [{ text: 'Hi' }] };

test.for<[reason: string, contents: object[], message: string]>([
  ['ends with the model', [said, { role: 'model', parts: [{ text: 'Hi' }] }], 'end with a user role'],
  ['has an unsigned call', [said, unsigned, { role: 'user', parts: [orphan] }], 'missing a thought_signature'],
  ['has a result without its call', [{ role: 'user', parts: [orphan] }], 'must answer a call'],
])('a request for content is refused if it %s', async ([_reason, contents, message], { model }) => {
  const refused = model.create({}, { contents } as object);

  await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining(message) });
});

test('a scripted fault of a content has the form of Gemini', async ({ model }) => {
  const faultOf = (fault: object) => ({ answer: 'Sunny.', piece_chars: 2, final: { fault } });

  await expect(model.create(faultOf({ kind: 'status', status: 429 }))).rejects.toThrow('RESOURCE_EXHAUSTED');
  await expect(model.stream(faultOf({ kind: 'cut', after_chars: 2 }))).rejects.toThrow();
});
