import { expect, test } from 'vitest';
import type { RoundRequest } from '#core/llm/provider.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { answer as resultOf, user } from '#test/llm/history.ts';
import { type AnthropicBody, anthropicBlocks, textOfBlock } from '#test/llm/prompt-cache/anthropic-blocks.ts';
import { answer, askHosted, found, serverCall, spoken, startHostedServer, words } from './hosted-server.ts';

const tools = [Tool.parse({ name: 'get_weather' })];
const functionCall = (id: string, more: object = {}): [object, ...object[]] => [
  { type: 'tool_use', id, name: 'get_weather', input: {}, ...more },
  { type: 'input_json_delta', partial_json: '{"city":"Rome"}' },
];
const calls = { stop: 'tool_use' };
const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: `sig ${thinking}` });
const cited = {
  ...words('It is so.'),
  citations: [
    { type: 'web_search_result_location', url: 'u', title: 'T', cited_text: 'x', encrypted_index: 'sealed i' },
  ],
};
const container = { id: 'container_1', expires_at: '2999-01-01T00:00:00Z' };

const use = (id: string, name: string, input: object, more: object = {}) => ({
  ...{ type: 'server_tool_use', id, name, input },
  ...more,
});
const byCode = (tool_id: string) => ({ caller: { type: 'code_execution_20260120', tool_id } });

test('server tools go back unchanged and in order, beside thoughts and functions', async () => {
  const direct = { caller: { type: 'direct' } };
  await using server = await startHostedServer(
    answer(
      [
        thought('One'),
        words('Let me see.'),
        serverCall('s1', 'web_search', { query: 'x' }, direct),
        found('s1', 'https://a.example'),
        words(''),
        thought('Two'),
        serverCall('s2', 'web_search', { query: 'y' }, direct),
        found('s2', 'https://b.example'),
        cited,
        functionCall('toolu_1'),
      ],
      calls,
    ),
    answer([words('Done.')]),
  );
  const { ask } = askHosted(server);
  const first = await ask({ tools });

  await ask({ tools, messages: [user('Hi'), spoken(first), resultOf('toolu_1', '15°C'), user('And?')] });

  expect(server.refused).toEqual([]);
  expect(server.asked[1]!.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        thought('One'),
        words('Let me see.'),
        use('s1', 'web_search', { query: 'x' }, direct),
        found('s1', 'https://a.example'),
        thought('Two'),
        use('s2', 'web_search', { query: 'y' }, direct),
        found('s2', 'https://b.example'),
        cited,
        { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rome' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '15°C' }, words('And?')] },
  ]);
});

/** Asks for a reply with a search beside a function, and for the next reply after these messages. */
async function askBeside(server: { origin: string }, ...after: RoundRequest['messages']) {
  const { ask, deltas } = askHosted(server);
  const first = await ask({ tools });
  const second = await ask({ tools, messages: [user('Hi'), spoken(first), ...after] });
  return { first, second, deltas, ask };
}

test('a search beside a function runs in the next request, and its reply reports it', async () => {
  await using server = await startHostedServer(
    answer([words('Both.'), serverCall('s', 'web_search', { query: 'x' }), functionCall('toolu_1')], calls),
    answer([found('s', 'https://a.example'), words('Done.')]),
    answer([words('You are welcome.')]),
  );

  const { first, second, deltas, ask } = await askBeside(server, resultOf('toolu_1', '15°C'));
  await ask({
    tools,
    messages: [user('Hi'), spoken(first), resultOf('toolu_1', '15°C'), spoken(second), user('Thanks.')],
  });

  expect(server.refused).toEqual([]);
  expect(first).not.toHaveProperty('hosted');
  expect(second).toMatchObject({
    text: 'Done.',
    hosted: { calls: [{ id: 's', type: 'web_search', status: 'completed', input: { query: 'x' }, offset: 0 }] },
  });
  const statuses = deltas.flatMap((delta) => (delta.kind === 'hosted-call' ? [delta.call.status] : []));
  expect(statuses).toEqual(['in_progress', 'in_progress', 'completed']);
  expect(server.asked[2]!.messages.slice(0, 3)).toEqual(server.asked[1]!.messages);
  expect(server.asked[2]!.messages[3]).toEqual({
    role: 'assistant',
    content: [found('s', 'https://a.example'), words('Done.')],
  });
});

test('a search without a result is left out if words of the user follow', async () => {
  await using server = await startHostedServer(
    answer([words('Both.'), serverCall('s', 'web_search', { query: 'x' }), functionCall('toolu_1')], calls),
    answer([words('Done.')]),
  );

  await askBeside(server, resultOf('toolu_1', '15°C'), user('Stop searching.'));

  expect(server.refused).toEqual([]);
  expect(server.asked[1]!.messages[1]!.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
});

test('a search without a result is left out of a request without hosted tools', async () => {
  await using server = await startHostedServer(
    answer([serverCall('s', 'web_search', { query: 'x' }), functionCall('toolu_1')], calls),
    answer([words('Done.')]),
  );
  const { ask } = askHosted(server);
  const first = await ask({ tools });

  await ask({ tools, hostedTools: [], messages: [user('Hi'), spoken(first), resultOf('toolu_1', '15°C')] });

  expect(server.refused).toEqual([]);
  expect(server.asked[1]!.messages[1]!.content.map(({ type }) => type)).toEqual(['tool_use']);
});

test('code that waits for a function keeps its container and its caller', async () => {
  await using server = await startHostedServer(
    answer([serverCall('c', 'code_execution', { code: 'f()' }), functionCall('toolu_1', byCode('c'))], {
      ...calls,
      container,
    }),
    answer([
      {
        type: 'code_execution_tool_result',
        tool_use_id: 'c',
        content: { type: 'code_execution_result', stdout: '15', stderr: '', return_code: 0, content: [] },
      },
      words('15°C.'),
    ]),
  );

  const { second } = await askBeside(server, resultOf('toolu_1', '15°C'));

  expect(server.refused).toEqual([]);
  expect(server.asked[1]).toMatchObject({ container: 'container_1' });
  expect(server.asked[1]!.messages[1]!.content).toEqual([
    use('c', 'code_execution', { code: 'f()' }),
    { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rome' }, ...byCode('c') },
  ]);
  expect(second.hosted!.calls).toMatchObject([{ type: 'code_execution', input: { code: 'f()' }, output: '15' }]);
});

test('code that waits in a lost container is left out, but not its function', async () => {
  await using server = await startHostedServer(
    answer(
      [
        serverCall('c', 'code_execution', { code: 'f()' }),
        serverCall('s', 'web_search', { query: 'x' }, byCode('c')),
        { ...found('s', 'https://a.example'), ...byCode('c') },
        functionCall('toolu_1', byCode('c')),
      ],
      { ...calls, container },
    ),
    { status: 400, refuses: 'Container container_1 has expired.' },
    answer([words('15°C.')]),
  );

  await askBeside(server, resultOf('toolu_1', '15°C'));

  expect(server.refused).toEqual([]);
  expect(server.asked[2]!.messages[1]!.content).toEqual([
    { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rome' } },
  ]);
});

test('changed encrypted results are refused, and replaced by notes', async () => {
  await using server = await startHostedServer(
    answer([thought('One'), serverCall('s', 'web_search', { query: 'x' }), found('s', 'https://a.example'), cited]),
    answer([words('Yes.')]),
  );
  const { ask } = askHosted(server);
  const first = await ask();
  const opaque = JSON.parse(JSON.stringify(first.opaque).replace('sealed https', 'changed https'));

  const second = await ask({ messages: [user('Hi'), spoken({ ...first, opaque }), user('Really?')] });

  expect(server.refused).toEqual(['Invalid `encrypted_content`']);
  expect(second).toMatchObject({ text: 'Yes.', leftStateOut: true });
  const [note, ...others] = server.asked[2]!.messages[1]!.content;
  expect(others).toEqual([]);
  expect(note!.text).toMatch(/^\[The provider ran web_search \{"query":"x"\}: .*a\.example.*\]\nIt is so\.$/s);
});

test('a result without its call is not sent', async () => {
  await using server = await startHostedServer(answer([words('Yes.')]));
  const state = { blocks: [found('s', 'https://a.example'), words('It is so.')] };
  const stored = {
    role: 'assistant' as const,
    content: 'It is so.',
    calls: [],
    opaque: { provider: 'anthropic', state },
  };

  await askHosted(server).ask({ messages: [user('Hi'), stored, user('Really?')] });

  expect(server.refused).toEqual([]);
  expect(server.asked[0]!.messages[1]!.content).toEqual([words('It is so.')]);
});

test('each request with hosted calls begins with the request before, with three marks', async () => {
  const round = (at: number) =>
    answer(
      [
        ...[1, 2, 3].flatMap((each) => [
          serverCall(`s${at}-${each}`, 'web_search', { query: 'x' }),
          found(`s${at}-${each}`, 'https://a.example'),
        ]),
        cited,
        functionCall(`toolu_${at}`),
      ],
      { ...calls, container },
    );
  await using server = await startHostedServer(round(1), round(2), round(3), answer([words('Done.')]));
  const { ask } = askHosted(server, { promptCache: true });
  const asked = { tools, promptCache: { ttl: null, key: 'key' } };

  const messages = [user('Hi')];
  for (const at of [1, 2, 3]) {
    messages.push(spoken(await ask({ ...asked, messages: [...messages] })), resultOf(`toolu_${at}`, '15°C'));
  }
  await ask({ ...asked, messages });

  expect(server.refused).toEqual([]);
  const prefixes = server.asked.map((body) => anthropicBlocks(body as AnthropicBody).map(textOfBlock));
  for (const [at, prefix] of prefixes.slice(1).entries()) {
    expect(prefix.slice(0, prefixes[at]!.length)).toEqual(prefixes[at]);
  }
  expect(JSON.stringify(server.asked.at(-1)).split('"cache_control"')).toHaveLength(4);
});
