import { expect, test } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import {
  citation,
  dot,
  makeCode,
  makeFileSearch,
  makeImageCall,
  makeSearch,
} from '../../../../turn/hosted/make-hosted.ts';
import { document } from '../../../openapi/document.ts';
import { playResponse } from '../play-response.ts';
import { responsesOf } from './ask.ts';

const call = (name: string, id: string, args: Record<string, string> = { city: 'Rome' }) => ({
  ...{ name, id, arguments: args },
});
const described = Object.keys(
  (document.components.schemas.ResponseStreamEvent as { discriminator: { mapping: object } }).discriminator.mapping,
);

/** Plays a response with a call of each hosted tool. Returns its id. */
async function playHosted({ db, parts, worker }: Harness): Promise<string> {
  const hosted = ['web_search', 'code_execution', 'file_search', 'image_generation'] as const;
  const response = await playResponse({ db, pubsub: parts.pubsub, watchers: worker.watchers }, { hosted });
  await response.start();
  await response.complete({
    hosted: [makeSearch(), makeCode(), makeFileSearch(), makeImageCall()],
    ...{ text: 'Found it.', citations: [citation(0, 5)], images: [dot] },
  });
  return response.id.replace('turn_', 'resp_');
}

describeQueue(({ redis }) => {
  test('each kind of stream event has its exact shape, and the last equals a retrieve', async () => {
    await using server = await openExternalServer(() => ({ status: 200, body: '"sunny"' }));
    await using broken = await openExternalServer(() => ({ status: 404 }));
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const { stream, create, follow, retrieve, received } = responsesOf(harness);
    const [run, miss, ask, patch] = [
      httpTool('run', server.url),
      httpTool('miss', broken.url),
      { type: 'function', name: 'ask', parameters: { type: 'object', properties: {} } },
      { type: 'custom', name: 'patch' },
    ];
    const working = scripted({
      rounds: [
        {
          reasoning: 'Where?',
          say: 'Let me look. 🐢',
          tools: [call('run', 'call_1'), call('miss', 'call_2')],
        },
        { tools: [call('ask', 'call_3'), call('patch', 'call_4', { input: 'a\nb' })] },
      ],
    });

    const worked = await stream({ input: working, tools: [run, miss, ask, patch], reasoning: { summary: 'auto' } });
    const refused = await stream({ input: scripted({ final: { say: 'Well: ', refusal: 'no.' } }) });
    const cut = await stream({ input: scripted({ final: { say: 'Half of', finish_reason: 'length' } }) });
    const failed = await stream({
      input: scripted({ final: { fault: { kind: 'status', status: 401 } } }),
    });
    const sealed = await stream({
      input: scripted({ final: { reasoning: 'Hm.', say: 'Well.', refusal: 'No.' } }),
      ...{ include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } },
    });
    const hosted = await playHosted(harness);
    const queued = await create({ input: scripted({ answer: 'Later.' }), background: true });

    const [ran, missed] = worked.response.output.filter(({ type }) => type === 'mcp_call');
    expect(ran).toMatchObject({ status: 'completed', server_label: 'http', name: 'run' });
    expect(missed).toMatchObject({ status: 'failed', output: null, name: 'miss' });
    expect(worked.response.output.map(({ type }) => type)).toEqual([
      ...['reasoning', 'message', 'mcp_call', 'mcp_call', 'function_call', 'custom_tool_call'],
    ]);
    expect(refused.response.output).toMatchObject([{ content: [{ text: 'Well: ' }, { refusal: 'no.' }] }]);
    expect(cut.response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(sealed.response.output[0]).toMatchObject({ encrypted_content: expect.any(String) });
    expect(failed.response).toMatchObject({ status: 'failed', error: { code: 'server_error' }, output: [] });
    const played = (await follow(hosted)).at(-1);
    expect(played).toMatchObject({ type: 'response.completed', response: await retrieve(hosted) });
    const last = (await follow(queued.id)).at(-1);
    expect(last).toMatchObject({ type: 'response.completed', response: { background: true } });
    // Only a round that begins again sends `error` (follow-response).
    expect(new Set([...received, 'error'])).toEqual(new Set(described));
  });
});
