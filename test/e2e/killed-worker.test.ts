import { describe, expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '../harness/create-harness.ts';
import { startProcess } from '../harness/start-process.ts';
import { openBrokenModel } from './open-broken-model.ts';
import { textStreams } from './text-streams.ts';

const whole = 'The whole story, told from its beginning to its end.';
const other = 'Another story, which begins and ends in another way.';

type Headers = Record<string, string>;
type TextStream = (typeof textStreams)[string];
type Killed = { stream: TextStream; replies: [string, string]; headers?: Headers };

/** Reads a stream as a client. Its worker is killed in the middle of the text, and another worker finishes the text. */
async function readThroughKill({ stream, replies, headers = {} }: Killed) {
  const stack = new AsyncDisposableStack();
  const model = stack.use(await openBrokenModel(replies));
  const harness = stack.use(await createHarness({ env: { OPENAI_BASE_URL: model.baseUrl } }));
  const killed = stack.use(await startProcess('worker', harness.env));
  const read = (onText: () => void) => readText(stream({ url: harness.url, prompt: 'A story.', headers }), onText);

  const firstText = Promise.withResolvers<void>();
  const reading = read(firstText.resolve);
  await (headers['Pawl-Stream'] === 'committed' ? model.halfWritten : firstText.promise);
  await killed.kill('SIGKILL');
  stack.use(await startBackgroundWorker(harness));
  await harness.advance(60_000);
  await harness.rescue();
  const first = await reading;
  return { first, readAgain: () => read(() => {}), [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function readText(stream: AsyncIterable<string>, onText: () => void) {
  let text = '';
  try {
    for await (const piece of stream) {
      text += piece;
      if (text) onText();
    }
    return { text, error: null };
  } catch (error) {
    return { text, error };
  }
}

describe.each(['openai', 'LangChain'])('a worker that is killed while %s reads a stream', (client) => {
  const stream = textStreams[client]!;

  test('the client reads one whole text if the second reply is equal', async () => {
    await using killed = await readThroughKill({ stream, replies: [whole, whole] });

    expect(killed.first).toEqual({ text: whole, error: null });
  });

  test('the client of a committed stream reads one text if the second reply differs', async () => {
    const headers = { 'Pawl-Stream': 'committed' };
    await using killed = await readThroughKill({ stream, replies: [whole, other], headers });

    expect(killed.first).toEqual({ text: other, error: null });
  });

  test('the client gets an error if the second reply differs, and then the completion', async () => {
    const headers = { 'Idempotency-Key': 'story-1' };
    await using killed = await readThroughKill({ stream, replies: [whole, other], headers });

    const again = await killed.readAgain();

    expect(killed.first.text).toBe(whole.slice(0, whole.length / 2));
    expect(killed.first.error).toMatchObject({ code: 'stream_superseded' });
    expect(again).toEqual({ text: other, error: null });
  });
});
