import { expect, test } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { heardIn } from '#test/llm/anthropic/heard.ts';
import * as recordings from '#test/llm/recordings.ts';

const { post } = makeHttpClient();
const make = (baseUrl: string) => anthropicProvider({ name: 'anthropic', apiKey: 'none-at-all', baseUrl, post });

const [CODE, PLAN] = ['test-anthropic-code-execution-tool-stream', 'testanthropicstructuredplanning-'];
const { files, replay } = recordings.openRecordings('anthropic hosted tools', ({ provider, file }) => {
  return provider === 'anthropic' && (file.includes(CODE) || file.includes(PLAN));
});
const filesOf = (name: string) => files.filter(({ file }) => file.includes(name));

test.each(filesOf(CODE))('the code of $file is a hosted call, and its container is state', async ({ file }) => {
  const [exchange] = recordings.readRecording(file).exchanges;
  const { content } = heardIn(exchange!);

  const { answer } = await replay(exchange!, make);

  if (answer instanceof Error) throw answer;
  const [, before, call, result] = content;
  const { stdout } = result!.content as { stdout: string };
  expect(answer.hosted).toEqual({
    calls: [
      {
        ...{
          id: call!.id,
          type: 'code_execution',
          status: 'completed',
          input: call!.input,
          output: stdout,
          error: null,
        },
        offset: String(before!.text).length,
      },
    ],
    annotations: [],
    images: [],
  });
  expect(answer.opaque).toMatchObject({ blocks: content, container: { id: expect.stringMatching(/^container_/) } });
});

test.each(filesOf(PLAN))('a function with the name of a hosted tool in $file is no hosted call', async ({ file }) => {
  for (const exchange of recordings.readRecording(file).exchanges) {
    const { answer } = await replay(exchange, make);

    expect(answer).not.toBeInstanceOf(Error);
    expect(answer).not.toHaveProperty('hosted');
  }
});
