import { expect, test } from 'vitest';
import { bounded } from '#core/llm/bounded.ts';
import type { Delta, Provider, RoundRequest } from '#core/llm/provider.ts';
import { settleEmpty } from '#core/llm/reply/settle-empty.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import type { LooseScript } from '#test/llm/wire-script.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const bern = '{"city":"Bern"}';

/** Tests the calls of loose servers. A repeated call is one call, and its arguments are read in every form. */
export function callsAsTheyAre(name: string, makeProvider: (origin: string) => Provider, wire: LooseScript) {
  const ask = askLoosely(makeProvider);

  test(`${name}: a call that is sent repeatedly is one call`, async () => {
    const again = { id: 'call_1', args: bern };

    const { reply, deltas } = await ask({ body: wire.calls([again, again, again]) });

    expect(reply.calls).toEqual([{ id: 'call_1', name: 'get_weather', arguments: bern }]);
    expect(deltas.map(({ text }) => text).join('')).toBe(bern);
  });

  test.each([
    'functions.get_weather',
    'default_api:get_weather',
    'get_weather<|channel|>json',
    'get_weather:0',
    'get_time',
  ])(`${name}: a call of %s is a call of the tool with that name, if it exists`, async (given) => {
    const body = wire.calls([{ id: 'call_1', args: bern }]);

    const { reply } = await ask({ body: body.map((event) => event.replace('"get_weather"', JSON.stringify(given))) });

    expect(reply.calls).toMatchObject([{ name: given === 'get_time' ? given : 'get_weather', arguments: bern }]);
  });

  test(`${name}: equal calls with different ids stay separate`, async () => {
    const { reply } = await ask({
      body: wire.calls([
        { id: 'call_1', args: bern },
        { id: 'call_2', args: bern },
      ]),
    });

    expect(reply.calls.map(({ id }) => id)).toEqual(['call_1', 'call_2']);
  });

  test.runIf(wire.callInPieces).each([
    ['an empty object before them', ['{}', '{"city":', '"Bern"}'], bern],
    ['the whole at the end', ['{"city": "Be', 'rn"}', '{"city": "Bern"}'], '{"city": "Bern"}'],
    ['the whole twice more', ['{"city":', '"Bern"}', bern, bern], bern],
    ['each piece with all before it', ['{"ci', '{"city":"B', '{"city":"Bern"}'], bern],
    ['an empty object, then each piece with all before it', ['{}', '{"city"', bern], bern],
    ['blanks at the end', [bern, ' ', '\n'], `${bern} \n`],
    ['null', ['null'], '{}'],
    ['an empty list', ['[]'], '{}'],
    ['an object within a text', [JSON.stringify(bern)], bern],
    ['an object in an object', ['{"a":', '{"a":1}}'], '{"a":{"a":1}}'],
    ['two objects', ['{"a":1}', '{"a":2}'], '{"a":1}{"a":2}'],
    ['half an object', ['{"city":', ' oops'], '{"city": oops'],
  ])(`${name}: arguments are read from %s`, async (_, pieces, text) => {
    const { reply } = await ask({ body: wire.callInPieces!(pieces) });

    expect(reply.calls).toEqual([{ id: 'call_1', name: 'get_weather', arguments: text }]);
  });
}

const weather = Tool.parse({ name: 'get_weather', description: 'Get the weather of a city' });

/**
 * Returns a function that asks a provider with the tool `get_weather`. The function returns reply, deltas and
 * requests.
 */
export function askLoosely(makeProvider: (origin: string) => Provider) {
  return async (answers: Answer | Answer[], change: Partial<RoundRequest> = {}) => {
    await using server = await startWireServer(...[answers].flat());
    const provider = settleEmpty(bounded(makeProvider(server.origin), { timeoutMs: 20_000, idleTimeoutMs: 20_000 }));
    const request = { ...someRequest, tools: [weather], declaredTools: [weather], ...change };
    const deltas: Delta[] = [];
    const reply = await provider.ask(request, new AbortController().signal, (delta) => deltas.push(delta));
    return { reply, deltas, asked: server.asked };
  };
}
