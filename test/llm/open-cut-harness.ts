import { createHarness } from '#test/harness/create-harness.ts';
import { openaiWire } from './openai-wire.ts';
import { startWireServer } from './wire-server.ts';

const [begun = ''] = openaiWire.reply({ text: ['Half a sen'] });

/** Opens an API with a model that begins an endless text. The model answers `second` to the next request. */
export async function openCutHarness(redis: boolean, second: string[]) {
  const server = await startWireServer({ body: [begun], ending: 'hang' }, { body: openaiWire.reply({ text: second }) });
  const harness = await createHarness({ redis, env: { OPENAI_BASE_URL: server.origin } });
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { server, harness, [Symbol.asyncDispose]: dispose };
}
