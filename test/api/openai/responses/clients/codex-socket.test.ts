import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { type Message, openSocket, responseOf } from '../websocket/open-socket.ts';
import { asks, bodyOf, type Event, headers, ignoring, itemsOf, message, output, prompt } from './codex-shapes.ts';

// Codex CLI over a WebSocket: it warms up, then sends only items that the connection does not have yet.

const beta = { ...headers, 'openai-beta': 'responses_websockets=2026-02-06', version: '0.169.0' };

/** Reads the messages of a response as Codex does. */
const eventsOf = (messages: Message[]) => messages as unknown as Event[];

describeQueue(({ redis }) => {
  test('Codex works in steps over one socket, and sends each item once', async () => {
    await using harness = await createHarness({ redis, env: ignoring });
    await using _worker = await startBackgroundWorker(harness);
    await using socket = await openSocket(harness, { headers: beta });
    const ask = (input: object[], body: object = {}) => socket.ask(bodyOf(input, body));
    const after = (messages: Message[]) => ({ previous_response_id: responseOf(messages).id });

    const warm = await ask(asks(prompt).slice(0, 2), { generate: false });
    const received = await ask(asks(prompt).slice(2), after(warm));
    const [thought, said, custom, call] = itemsOf(eventsOf(received));
    const results = [output(custom!, 'Success.'), output(call!, 'a.txt')];
    const second = await ask(results, after(received));
    const third = await ask([message('user', 'Thanks.')], { ...after(second), tools: [] });

    expect(responseOf(warm).output).toEqual([]);
    expect(thought).toMatchObject({ type: 'reasoning', encrypted_content: expect.any(String) });
    expect(said).toMatchObject({ role: 'assistant', content: [{ type: 'output_text', text: 'I patch it.' }] });
    expect(custom).toMatchObject({ type: 'custom_tool_call', input: '*** Begin Patch\n*** End Patch\n' });
    expect(itemsOf(eventsOf(second)).at(-1)).toMatchObject({ content: [{ text: 'It is done.' }] });
    expect(third.at(-1)?.type).toBe('response.completed');
    expect(harness.modelRequests).toHaveLength(3);
    expect(harness.modelRequests.at(-1)?.body.messages).toMatchObject([
      ...[{ role: 'system' }, { role: 'user' }, { role: 'user', content: prompt }],
      { role: 'assistant', content: 'I patch it.', tool_calls: [{}, {}] },
      ...[
        { role: 'tool', content: 'Success.' },
        { role: 'tool', content: 'a.txt' },
      ],
      ...[
        { role: 'assistant', content: 'It is done.' },
        { role: 'user', content: 'Thanks.' },
      ],
    ]);
  });
});
