import { AbstractChat, type ChatState, DefaultChatTransport, type UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openCuttingProxy } from '#test/harness/links/cutting-proxy.ts';
import { scripted } from '#test/harness/scripted.ts';

/** A text longer than the proxy passes, also if the whole text exists before the request. */
const STORY = Array.from({ length: 200 }, (_, index) => `word ${index} 🐢`).join(', ');

test('a chat of useChat resumes after lost connections and has its message once', async () => {
  await using harness = await createHarness();
  await using proxy = await openCuttingProxy(harness.url, [1_100, 1_800]);
  const input = scripted({
    ...{
      rounds: [{ say: 'Let me look.', tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' }, id: 'call_1' }] }],
    },
    ...{ answer: STORY, pace_ms: 20, piece_chars: 40 },
  });
  const { id, conversation_id } = await harness.startTurn({ input, tools: ['weather_lookup'] });
  await using _worker = await startBackgroundWorker(harness);
  const url = `${proxy.url}/v1/conversations/${conversation_id}/ui-stream`;
  const transport = new DefaultChatTransport({ prepareReconnectToStreamRequest: () => ({ api: url }) });
  const chat = new PlainChat({ transport, state: emptyState() });

  const statuses: string[] = [];
  for (let tries = 0; tries < 3; tries += 1) {
    await chat.resumeStream();
    statuses.push(chat.status);
  }
  await chat.resumeStream();

  expect(statuses).toEqual(['error', 'error', 'ready']);
  expect(chat.messages).toHaveLength(1);
  expect(chat.lastMessage).toMatchObject({
    ...{ id, metadata: { turn_id: id, conversation_id } },
    parts: [
      { type: 'step-start' },
      { type: 'text', text: 'Let me look.', state: 'done' },
      { type: 'dynamic-tool', toolName: 'weather_lookup', state: 'output-available', input: { city: 'Rome' } },
      { type: 'step-start' },
      { type: 'text', text: STORY, state: 'done' },
    ],
  });
  expect((await harness.findTurn(id)).output).toBe(STORY);
});

/** The chat of `useChat` without React. */
class PlainChat extends AbstractChat<UIMessage> {}

function emptyState(): ChatState<UIMessage> {
  const state: ChatState<UIMessage> = {
    ...{ status: 'ready', error: undefined, messages: [] },
    pushMessage: (message) => void state.messages.push(message),
    popMessage: () => void state.messages.pop(),
    replaceMessage: (index, message) => void state.messages.splice(index, 1, message),
    snapshot: (value) => structuredClone(value),
  };
  return state;
}
