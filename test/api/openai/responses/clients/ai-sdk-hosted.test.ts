import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import { expect } from 'vitest';
import {
  citation,
  dot,
  makeCode,
  makeFileSearch,
  makeImageCall,
  makeSearch,
  PIXEL,
} from '../../../../turn/hosted/make-hosted.ts';
import { test } from '../../test.ts';
import { playResponse } from '../play-response.ts';

const hosted = ['web_search', 'code_execution', 'file_search', 'image_generation'] as const;
const include = ['web_search_call.action.sources', 'code_interpreter_call.outputs', 'file_search_call.results'];

test('the AI SDK reads hosted calls, their results and citations, whole and streamed', async ({ harness }) => {
  const { db, parts, worker } = harness;
  const response = await playResponse({ db, pubsub: parts.pubsub, watchers: worker.watchers }, { hosted, include });
  await response.start();
  const calls = [makeSearch(), makeCode(), makeFileSearch(), makeImageCall()];
  await response.complete({ text: 'Found it.', hosted: calls, citations: [citation(0, 5)], images: [dot] });
  const path = `${harness.url}/v1/responses/${response.id.replace('turn_', 'resp_')}`;
  // The SDK has no way to retrieve a response, so each create is answered by a retrieve.
  const read = (query: string) => createOpenAI({ apiKey: 'none', fetch: () => fetch(path + query) });
  const toolsOf = ({ tools }: ReturnType<typeof read>) => ({
    ...{ web_search: tools.webSearch(), code_interpreter: tools.codeInterpreter() },
    ...{ file_search: tools.fileSearch({ vectorStoreIds: ['vs_1'] }), image_generation: tools.imageGeneration() },
  });
  const [whole, piecemeal] = [read(''), read('?stream=true')];
  const prompt = 'Find it.';

  const generated = await generateText({ model: whole.responses('gpt-5'), tools: toolsOf(whole), prompt });
  const streamed = streamText({ model: piecemeal.responses('gpt-5'), tools: toolsOf(piecemeal), prompt });

  const results = await streamed.toolResults;
  expect([generated.text, await streamed.text]).toEqual(['Found it.', 'Found it.']);
  for (const [each, sources] of [
    [generated.toolResults, generated.sources],
    [results, await streamed.sources],
  ] as const) {
    expect(each.map(({ toolName }) => toolName)).toEqual([
      ...['web_search', 'code_interpreter', 'file_search', 'image_generation'],
    ]);
    expect(each[1]?.output).toEqual({ outputs: [{ type: 'logs', logs: '42\n' }] });
    expect(each[3]?.output).toEqual({ result: PIXEL });
    expect(JSON.stringify(sources)).toContain('https://pawl.example/a');
  }
});
