import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { geminiEvent, partsEvent } from '#test/llm/gemini-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { readAnthropic } from '#test/llm/recorded-loops/read-anthropic.ts';
import { readGemini } from '#test/llm/recorded-loops/read-gemini.ts';
import { readOpenai } from '#test/llm/recorded-loops/read-openai.ts';
import type { Said } from '#test/llm/recorded-loops/wire-reader.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';

const call = (id: string, city: string) => ({ id, name: 'weather_lookup', arguments: [JSON.stringify({ city })] });
const weather = (city: string) => JSON.stringify({ city, temp: 22, condition: 'sunny' });

/** What each provider says in a turn: a call, with state that it wants back, then its answer. */
const openaiScript = [
  openaiWire.reply({ reasoning: ['thought of openai'], text: ['Let me look.'], calls: [call('call_1', 'Tokyo')] }),
  openaiWire.reply({ text: ['Sunny in Tokyo.'] }),
];
const anthropicScript = [
  anthropicWire.reply({ reasoning: ['thought of anthropic'], calls: [call('toolu_1', 'Kyoto')] }),
  anthropicWire.reply({ text: ['Sunny in Kyoto.'] }),
];
const geminiCall = { functionCall: { name: 'weather_lookup', args: { city: 'Osaka' } }, thoughtSignature: 'c2lnbmVk' };
const geminiScript = [
  [partsEvent([geminiCall], { finishReason: 'STOP' })],
  [geminiEvent({ candidates: [{ content: { parts: [{ text: 'Sunny in Osaka.' }] }, finishReason: 'STOP' }] })],
];

/** The state of each provider as it stands in a request. */
const STATES = { openai: 'thought of openai', anthropic: 'thought of anthropic', gemini: 'c2lnbmVk' };

function play(server: WireServer, [first, second]: string[][]) {
  server.answer({ body: first! });
  server.answerNext({ body: second! });
}

function exchange(city: string, text: string, answer: string): Partial<Said>[] {
  return [
    { role: 'user', text: `And in ${city}?` },
    { role: 'assistant', text, calls: 1 },
    { role: 'tool', text: weather(city) },
    { role: 'assistant', text: answer, calls: 0 },
  ];
}

const history = [
  ...exchange('Tokyo', 'Let me look.', 'Sunny in Tokyo.'),
  ...exchange('Kyoto', '', 'Sunny in Kyoto.'),
  ...exchange('Osaka', '', 'Sunny in Osaka.'),
];

async function say(harness: Harness, path: string, body: object): Promise<TurnResource> {
  const { body: turn } = await harness.call<TurnResource>('POST', `${path}/turns`, { body });
  await harness.workUntilIdle();
  return harness.findTurn(turn.id);
}

test('a conversation goes from OpenAI to Anthropic to Gemini and round again, and each gets its own state alone', async () => {
  await using openai = await startWireServer();
  await using anthropic = await startWireServer();
  await using gemini = await startWireServer();
  const keys = { ANTHROPIC_API_KEY: 'none-at-all', GEMINI_API_KEY: 'none-at-all' };
  const urls = { OPENAI_BASE_URL: openai.origin, ANTHROPIC_BASE_URL: anthropic.origin, GEMINI_BASE_URL: gemini.origin };
  const twins = { openai, anthropic, gemini };
  const twin = (kind: keyof typeof twins) => [`${kind}_twin`, { kind, base_url: twins[kind].origin }];
  const more = Object.fromEntries([twin('openai'), twin('anthropic'), twin('gemini')]);
  await using harness = await createHarness({ env: { ...keys, ...urls, PAWL_PROVIDERS: JSON.stringify(more) } });
  const wires = [
    { ...{ server: openai, script: openaiScript, reader: readOpenai }, model: 'openai/gpt-4.1', city: 'Tokyo' },
    {
      ...{ server: anthropic, script: anthropicScript, reader: readAnthropic },
      model: 'anthropic/claude',
      city: 'Kyoto',
    },
    { ...{ server: gemini, script: geminiScript, reader: readGemini }, model: 'gemini/gemini-3-pro', city: 'Osaka' },
  ];

  const { body } = await harness.call('POST', '/v1/conversations', { body: { tools: ['weather_lookup'] } });
  const path = `/v1/conversations/${body.id}`;
  for (const { server, script, model, city } of wires) {
    play(server, script);
    const turn = await say(harness, path, { model, input: `And in ${city}?` });
    expect(turn).toMatchObject({ status: 'completed', output: `Sunny in ${city}.`, round: 2 });
  }
  for (const { server, script, model } of wires) {
    play(server, [script[1]!, script[1]!]);
    expect((await say(harness, path, { model, input: 'Again?' })).status).toBe('completed');
  }

  for (const { server, reader, model } of wires) {
    for (const each of server.asked) expect(reader.problems(each.body, model)).toEqual([]);
    const last = server.asked.at(-1)!.body;
    const { said } = reader.request({ request: { body: last }, response: { status: 200, body: null } });
    expect(said.slice(0, history.length)).toMatchObject(history);
    expect(statesIn(last)).toEqual([reader.wire]);
  }

  for (const { server, script, reader } of wires) {
    play(server, [script[1]!, script[1]!]);
    const turn = await say(harness, path, { model: `${reader.wire}_twin/some-model`, input: 'And you?' });
    expect(turn.status).toBe('completed');
    expect(statesIn(server.asked.at(-1)!.body)).toEqual([]);
  }
});

/** The providers with a state in a request. */
function statesIn(body: object): string[] {
  const states = Object.entries(STATES).filter(([, state]) => JSON.stringify(body).includes(state));
  return states.map(([provider]) => provider);
}
