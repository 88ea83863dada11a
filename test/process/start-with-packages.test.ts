import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { surroundings } from '#test/harness/parts/start-program.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { mistralWire } from '#test/llm/ai-sdk/mistral-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const mistral = (options: object, more: object = {}) => ({
  PAWL_PROVIDERS: JSON.stringify({
    mistral: { kind: 'ai-sdk', module: '@ai-sdk/mistral', export: 'createMistral', options, ...more },
  }),
});

test('a worker process loads the named package, and answers with it', async () => {
  await using server = await startWireServer();
  server.answer({ body: mistralWire.reply({ text: ['Hello.'] }) });
  const env = mistral({ apiKey: 'a-secret-of-mine', baseURL: `${server.origin}/v1` });
  await using harness = await createHarness({ env });
  await using worker = await startProcess('worker', harness.env);

  const { id } = await harness.startTurn({ model: 'mistral/some', input: 'Hi' });
  await untilLogged(worker, 'turn.ended');

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Hello.' });
  expect(JSON.stringify(worker.lines)).not.toContain('a-secret-of-mine');
});

test.each(['api', 'worker'])('a missing package ends the start of the %s in one sentence', async (part) => {
  await using harness = await createHarness();
  const main = fileURLToPath(new URL(`../../services/${part}/main.ts`, import.meta.url));
  const providers = mistral({ apiKey: 'a-secret-of-mine' }, { module: 'no-such-package' });
  const env = { ...surroundings(), ...harness.env, ...providers };

  const refusal = await promisify(execFile)(process.execPath, [main], { env }).catch((error) => error);

  expect(refusal).toMatchObject({
    code: 1,
    stderr:
      'PAWL_PROVIDERS.mistral.module: this package is not installed. Install it with npm in the working directory of Pawl.\n',
  });
});
