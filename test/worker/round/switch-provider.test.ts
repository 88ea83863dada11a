import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { partsEvent } from '#test/llm/gemini-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { readAnthropic } from '#test/llm/recorded-loops/read-anthropic.ts';
import { readGemini } from '#test/llm/recorded-loops/read-gemini.ts';
import { readOpenai } from '#test/llm/recorded-loops/read-openai.ts';
import { readOpenaiResponses } from '#test/llm/recorded-loops/read-openai-responses.ts';
import type { Said, WireReader } from '#test/llm/recorded-loops/wire-reader.ts';
import { callItem, messageItem, reasoningItem, responseStream } from '#test/llm/responses-events.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';

const weather = (city: string) => JSON.stringify({ city, temp: 22, condition: 'sunny' });
const call = (id: string, city: string) => ({ id, name: 'weather_lookup', arguments: [JSON.stringify({ city })] });

/** The model's replies in a turn on a wire: a call with state for its server, then its answer. */
type Script = { reader: WireReader; model: string; city: string; state: string; replies: [string[], string[]] };

const scripts: Script[] = [
  {
    ...{ reader: readOpenai, model: 'openai/gpt-4.1', city: 'Tokyo', state: 'thought of chat' },
    replies: [
      openaiWire.reply({ reasoning: ['thought of chat'], text: ['Let me look.'], calls: [call('call_1', 'Tokyo')] }),
      openaiWire.reply({ text: ['Sunny in Tokyo.'] }),
    ],
  },
  {
    ...{ reader: readOpenaiResponses, model: 'openai-responses/gpt-6', city: 'Nara', state: 'sealed by responses' },
    replies: [
      responseStream([
        ...[
          reasoningItem([], { encrypted_content: 'sealed by responses' }),
          messageItem(['Let me look.'], { phase: 'commentary' }),
        ],
        callItem(call('call_2', 'Nara')),
      ]),
      responseStream([messageItem(['Sunny in Nara.'])]),
    ],
  },
  {
    ...{ reader: readAnthropic, model: 'anthropic/claude', city: 'Kyoto', state: 'thought of anthropic' },
    replies: [
      anthropicWire.reply({ reasoning: ['thought of anthropic'], calls: [call('toolu_1', 'Kyoto')] }),
      anthropicWire.reply({ text: ['Sunny in Kyoto.'] }),
    ],
  },
  {
    ...{ reader: readGemini, model: 'gemini/gemini-3-pro', city: 'Osaka', state: 'c2lnbmVk' },
    replies: [
      [
        partsEvent(
          [{ functionCall: { name: 'weather_lookup', args: { city: 'Osaka' } }, thoughtSignature: 'c2lnbmVk' }],
          { finishReason: 'STOP' },
        ),
      ],
      [partsEvent([{ text: 'Sunny in Osaka.' }], { finishReason: 'STOP' })],
    ],
  },
];

function statesIn(body: object): string[] {
  const text = JSON.stringify(body);
  return scripts.map(({ state }) => state).filter((state) => text.includes(state));
}

function exchange({ city, reader }: Script): Partial<Said>[] {
  return [
    { role: 'user', text: `And in ${city}?` },
    { role: 'assistant', text: reader.wire.startsWith('openai') ? 'Let me look.' : '', calls: 1 },
    { role: 'tool', text: weather(city) },
    { role: 'assistant', text: `Sunny in ${city}.`, calls: 0 },
  ];
}

function play(server: WireServer, [first, ...rest]: string[][]) {
  server.answer({ body: first! });
  server.answerNext(...rest.map((body) => ({ body })));
}

async function say(harness: Harness, path: string, body: object): Promise<TurnResource> {
  const { status, body: turn } = await harness.call<TurnResource>('POST', `${path}/turns`, { body });
  if (status !== 202) throw new Error(JSON.stringify(turn));
  await harness.workUntilIdle();
  return harness.findTurn(turn.id);
}

async function newConversation({ call }: Harness): Promise<string> {
  const { body } = await call('POST', '/v1/conversations', { body: { tools: ['weather_lookup'] } });
  return `/v1/conversations/${body.id}`;
}

/** Returns the settings of each wire at its server, with a second provider at each server. */
function settingsFor([chat, responses, anthropic, gemini]: WireServer[]) {
  const twins = [
    { kind: 'openai', base_url: chat!.origin },
    { kind: 'openai-responses', base_url: responses!.origin },
    { kind: 'anthropic', base_url: anthropic!.origin },
    { kind: 'gemini', base_url: gemini!.origin },
  ];
  const more = Object.fromEntries(twins.map((twin) => [`${twin.kind}_twin`, twin]));
  return {
    ...{ ANTHROPIC_API_KEY: 'none-at-all', GEMINI_API_KEY: 'none-at-all', OPENAI_BASE_URL: chat!.origin },
    ...{ ANTHROPIC_BASE_URL: anthropic!.origin, GEMINI_BASE_URL: gemini!.origin },
    PAWL_PROVIDERS: JSON.stringify({ ...more, 'openai-responses': twins[1] }),
  };
}

test('a conversation changes over all four wires, and each server gets its own state', async () => {
  await using stack = new AsyncDisposableStack();
  const servers = await Promise.all(scripts.map(async () => stack.use(await startWireServer())));
  const harness = stack.use(await createHarness({ env: settingsFor(servers) }));
  const path = await newConversation(harness);
  const wires = scripts.map((script, index) => ({ ...script, script, server: servers[index]! }));

  for (const { server, replies, model, city } of wires) {
    play(server, replies);
    const turn = await say(harness, path, { model, input: `And in ${city}?` });
    expect(turn).toMatchObject({ status: 'completed', output: `Sunny in ${city}.`, round: 2, warnings: [] });
  }
  for (const { server, replies, model } of wires) {
    play(server, [replies[1]]);
    expect(await say(harness, path, { model, input: 'Again?' })).toMatchObject({ status: 'completed', warnings: [] });
  }

  const history = scripts.flatMap(exchange);
  for (const { server, reader, model, state } of wires) {
    for (const { body } of server.asked) expect(reader.problems(body, model)).toEqual([]);
    const last = server.asked.at(-1)!.body;
    const { said } = reader.request({ request: { body: last }, response: { status: 200, body: null } });
    expect(said.slice(0, history.length)).toMatchObject(history);
    expect(server.asked.map(({ body }) => statesIn(body))).toEqual([[], [state], [state]]);
  }

  for (const { server, replies, reader } of wires) {
    play(server, [replies[1]]);
    const turn = await say(harness, path, { model: `${reader.wire}_twin/some-model`, input: 'And you?' });
    expect(turn.status).toBe('completed');
    expect(statesIn(server.asked.at(-1)!.body)).toEqual([]);
  }
});

test('the state of openai is sent only over its wire to its base URL', async () => {
  await using stack = new AsyncDisposableStack();
  const [here, there] = [stack.use(await startWireServer()), stack.use(await startWireServer())];
  const open = async (env: Record<string, string>, beside?: Harness) => {
    return stack.use(await createHarness({ beside, env: { OPENAI_BASE_URL: here.origin, ...env } }));
  };
  const chat = await open({ OPENAI_WIRE: 'chat' });
  const responses = await open({ OPENAI_WIRE: 'responses' }, chat);
  const elsewhere = await open({ OPENAI_WIRE: 'responses', OPENAI_BASE_URL: there.origin }, chat);
  const [ofChat, ofResponses] = scripts as [Script, Script];
  const path = await newConversation(chat);
  const model = 'openai/gpt-6';
  const ask = async (harness: Harness, replies: string[][]) => {
    const server = harness === elsewhere ? there : here;
    play(server, replies);
    const turn = await say(harness, path, { model, input: 'How is it there?' });
    expect(turn).toMatchObject({ status: 'completed', warnings: [] });
    return statesIn(server.asked.at(-1)!.body);
  };

  expect(await ask(chat, ofChat.replies)).toEqual([ofChat.state]);
  expect(await ask(responses, ofResponses.replies)).toEqual([ofResponses.state]);
  expect(await ask(elsewhere, [ofResponses.replies[1]])).toEqual([]);
  expect(await ask(chat, [ofChat.replies[1]])).toEqual([ofChat.state]);
  expect(await ask(responses, [ofResponses.replies[1]])).toEqual([ofResponses.state]);
  expect(here.asked.map(({ path }) => path.replace(/^.*\/(chat|responses)\b.*$/, '$1'))).toEqual([
    ...['chat', 'chat', 'responses', 'responses'],
    ...['chat', 'responses'],
  ]);
});
