import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { type Completion, city, clientTool, completing, scriptedUser } from './completing.ts';
import { type Chunk, deltasOf, openCompletionStream } from './completion-stream.ts';

const words = fc.constantFrom('', ' ', '\n', 'One.', ' Two.\n\n', '🐢 three');
const said = {
  say: words,
  reasoning: fc.constantFrom(undefined, 'Hm.', 'So\n'),
  piece_chars: fc.constantFrom(1, 3, 24),
};
const calls = (...names: string[]) => names.map((name) => ({ name, arguments: city }));

/** A script of rounds with calls that Pawl runs. The last round answers, refuses, or calls a tool of the client. */
const script = fc.record({
  rounds: fc.array(fc.record({ ...said, tools: fc.constant(calls('weather_lookup')) }), { maxLength: 2 }),
  last: fc.oneof(
    fc.record({ ...said, say: fc.constantFrom('Done.', '\nDone. ') }),
    fc.record({ ...said, refusal: fc.constantFrom('I cannot.', '🐢') }),
    fc.record({ ...said, tools: fc.constantFrom(calls('locate'), calls('locate', 'weather_lookup', 'locate')) }),
  ),
});

/** Assembles the chunks of a stream as a client does. */
function messageOf(chunks: Chunk[]) {
  const deltas = deltasOf(chunks);
  const join = (key: 'content' | 'refusal' | 'reasoning_content') =>
    deltas.map((delta) => delta[key] ?? '').join('') || null;
  const called = deltas.flatMap(({ tool_calls = [] }) => tool_calls as { index: number }[]);
  return {
    ...{ content: join('content'), refusal: join('refusal'), reasoning: join('reasoning_content') },
    calls: called.map(({ index: _, ...call }) => call),
    finish: chunks.at(-1)?.choices[0]?.finish_reason,
  };
}

function shownMessage({ choices: [choice] }: Completion) {
  const { content, refusal, reasoning_content: reasoning = null, tool_calls: asked = [] } = choice!.message as Message;
  return { content, refusal, reasoning, calls: asked, finish: choice!.finish_reason };
}

type Message = Completion['choices'][number]['message'] & { reasoning_content?: string };

test('chunks of a live or committed stream add up to the message that a retrieve shows', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { completions } = completing(harness);

  await fc.assert(
    fc.asyncProperty(script, fc.uuid(), async ({ rounds, last }, key) => {
      const scripted = 'tools' in last ? { rounds: [...rounds, last] } : { rounds, final: last };
      const body = {
        ...{ messages: [scriptedUser(JSON.parse(JSON.stringify(scripted)))], tools: [clientTool('locate')] },
        pawl: { tools: ['weather_lookup'] },
      };
      const open = (stream: Record<string, string>) =>
        openCompletionStream(harness, { body, headers: { 'idempotency-key': key, ...stream } });
      const streams = await Promise.all([open({}), open({ 'pawl-stream': 'committed' })]);
      await Promise.all(streams.map(({ over }) => over));

      const shown = shownMessage(await completions.retrieve(streams[0].chunks()[0]!.id));
      for (const { chunks, frames } of streams) {
        expect(frames.at(-1), JSON.stringify(scripted)).toBe('data: [DONE]');
        expect(messageOf(chunks()), JSON.stringify(scripted)).toEqual(shown);
      }
    }),
    { numRuns: 15, seed: 3 },
  );
});
