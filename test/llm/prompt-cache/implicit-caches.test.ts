import { expect, test } from 'vitest';
import { makeGeminiCache } from './gemini-cache.ts';
import { makeOpenaiCache, makeResponsesCache } from './openai-cache.ts';
import type { PromptCache } from './prompt-cache.ts';

const words = (tokens: number) => 'abc '.repeat(tokens);
const said = (tokens: number, role = 'user') => ({ role, content: words(tokens) });
const ask = (model: string, messages: object[], more: object = {}) => ({
  ...{ model, prompt_cache_key: 'key', tools: [{ type: 'function', function: { name: 'tool' } }] },
  ...{ messages, ...more },
});

function usesOf<Body>(cache: PromptCache<Body>, ...bodies: Body[]) {
  return bodies.map((body) => {
    const taken = cache.take(body);
    if ('refusal' in taken) throw new Error(taken.refusal);
    return taken.usage;
  });
}

test('older OpenAI models read the longest common prefix in steps of 128 tokens', () => {
  const [first, second] = usesOf(
    makeOpenaiCache(),
    ask('gpt-4.1', [said(3_000)]),
    ask('gpt-4.1', [{ role: 'user', content: `${words(2_000)}else` }]),
  );

  expect(first).toMatchObject({ read: 0, written: 0 });
  expect(second).toMatchObject({ read: 1_920, written: 0 });
});

test('GPT-5.6 reads only whole earlier requests, and reports its cache writes', () => {
  const first = ask('gpt-5.6', [said(2_000)]);
  const longer = ask('gpt-5.6', [said(2_000), said(500, 'assistant')]);
  const shorter = ask('gpt-5.6', [said(2_000), said(400, 'assistant')]);
  const other = ask('gpt-5.6', [said(1_900)]);

  const [one, two, three, four] = usesOf(makeOpenaiCache(), first, longer, shorter, other);

  expect(one).toMatchObject({ fresh: 0, read: 0 });
  expect(two?.read).toBe(one?.written);
  expect(three?.read).toBe(one?.written);
  expect(four?.read).toBe(0);
});

test.for(['gpt-4.1', 'gpt-6'])('the OpenAI cache of %s depends on key, tools, schema and minimum size', (model) => {
  const first = ask(model, [said(2_000)]);
  const second = usesOf(makeOpenaiCache(), first, first)[1];
  const changes = [{ prompt_cache_key: 'other' }, { tools: [] }, { response_format: { type: 'json_object' } }];

  const reads = changes.map((change) => usesOf(makeOpenaiCache(), first, { ...first, ...change })[1]?.read);
  const [, choice] = usesOf(makeOpenaiCache(), first, { ...first, tool_choice: 'none' } as typeof first);
  const [, short] = usesOf(makeOpenaiCache(), ask(model, [said(900)]), ask(model, [said(900)]));

  expect(reads).toEqual([0, 0, 0]);
  expect(choice?.read).toBe(second?.read);
  expect(choice?.read).toBeGreaterThan(1_900);
  expect(short).toMatchObject({ read: 0, written: 0 });
});

test('OpenAI refuses a prompt_cache_key of more than 64 characters', () => {
  const taken = makeOpenaiCache().take(ask('gpt-4.1', [said(1)], { prompt_cache_key: 'k'.repeat(65) }));

  expect(taken).toEqual({ refusal: expect.stringMatching(/^Invalid 'prompt_cache_key': string too long.*64.*65/) });
});

const response = (model: string, more: object = {}) => ({
  ...{ model, instructions: words(2_000), tools: [{ type: 'function', name: 'tool' }], input: [said(500)], ...more },
});

test.for(['gpt-4.1', 'gpt-6'])('the Responses cache of %s depends on instructions, schema and input', (model) => {
  const first = response(model);
  const grown = { input: [said(500), said(10, 'assistant')] };
  const changes = [{ instructions: 'Hi' }, { tools: [] }, { text: { format: { type: 'json_object' } } }];
  const readAfter = (change: object) => usesOf(makeResponsesCache(), first, { ...first, ...change })[1]!.read;

  expect(changes.map(readAfter)).toEqual([0, 0, 0]);
  expect(readAfter(grown)).toBeGreaterThan(2_300);
  expect(readAfter({ tool_choice: 'none', text: { verbosity: 'low' } })).toBeGreaterThan(2_300);
});

test('the cache ttl on Responses selects the counted writes, if supported', () => {
  const ttl = (time: string) => ({ prompt_cache_options: { ttl: time } });
  const [short] = usesOf(makeResponsesCache(), response('gpt-5.6', ttl('30m')));
  const [long] = usesOf(makeResponsesCache(), response('gpt-5.6', ttl('12h')));

  expect(short).toMatchObject({ writtenForHour: 0, written: long?.writtenForHour });
  expect(long).toMatchObject({ written: 0 });
  expect(makeResponsesCache().take(response('gpt-4.1', ttl('30m')))).toEqual({
    refusal: expect.stringContaining("'prompt_cache_options' is not supported"),
  });
});

test('the Gemini cache reads the longest common prefix in every tool mode', () => {
  const body = {
    ...{ model: 'gemini-2.5-flash', tools: [{ functionDeclarations: [{ name: 'tool' }] }] },
    ...{ systemInstruction: { parts: [{ text: words(1_500) }] }, toolConfig: {} },
    contents: [{ role: 'user', parts: [{ text: words(500) }] }],
  };
  const [part, more] = [{ text: 'Go on.' }, { text: 'Stop.' }];
  const longer = { ...body, contents: [{ role: 'user', parts: [...body.contents[0]!.parts, part] }] };
  const none = { ...longer, toolConfig: { functionCallingConfig: { mode: 'NONE' } } };

  const [first, second, third] = usesOf(makeGeminiCache(), body, longer, none);
  const [, changed] = usesOf(makeGeminiCache(), body, { ...body, tools: [] });
  const [, short] = usesOf(makeGeminiCache(), { contents: [{ parts: [more] }] }, { contents: [{ parts: [more] }] });

  expect(first?.read).toBe(0);
  expect(second?.read).toBeGreaterThan(2_000);
  expect(third?.fresh).toBeLessThan(2);
  expect(changed?.read).toBe(0);
  expect(short?.read).toBe(0);
});
