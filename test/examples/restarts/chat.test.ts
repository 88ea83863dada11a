import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { testEnvironment } from '#test/harness/create-harness.ts';
import { startProgram } from '#test/harness/parts/start-program.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openChangingModel, WHICH_TRY } from '#test/harness/servers/changing-model.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { browserSuite } from '../../inspector/browser-suite.ts';

const STORY = Array.from({ length: 40 }, (_, index) => `word ${index} 🐢`).join(', ');
const slowly = (answer: string) => scripted({ answer, pace_ms: 60, piece_chars: 8 });

/** Opens Pawl as a separate API and worker, with the example's server and its faults. */
async function openChat() {
  const model = await openChangingModel();
  const [port, chatPort] = [await findFreePort(), await findFreePort()];
  const env = { ...(await testEnvironment(model.baseUrl, {})), PORT: String(port), HOST: '127.0.0.1' };
  const url = `http://127.0.0.1:${port}`;
  let [api, worker] = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
  const chat = await startProgram({
    ...{ file: 'examples/chat/server.ts', ready: /is at (\S+)/, output: { onLine: () => {} } },
    env: { PORT: String(chatPort), PAWL_URL: url, MODEL: 'openai/test' },
  });
  return {
    url: chat.address,
    latestTurn: async () => (await apiClient(url).call<{ data: TurnResource[] }>('GET', '/v1/turns')).body.data[0],
    replaceApi: async (signal: NodeJS.Signals) => {
      await api.kill(signal);
      api = await startProcess('api', env);
    },
    replaceWorker: async () => {
      await worker.kill('SIGKILL');
      worker = await startProcess('worker', env);
    },
    [Symbol.asyncDispose]: async () => {
      await chat.kill('SIGKILL');
      await Promise.all([api.kill('SIGKILL'), worker.kill('SIGKILL')]);
      await model[Symbol.asyncDispose]();
    },
  };
}

const answerOf = (page: Page) => page.locator('article.assistant').last();

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

async function untilReady(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).waitFor({ timeout: 90_000 });
}

browserSuite('a chat with useChat', (open) => {
  test.for([
    { fault: 'the page is reloaded' },
    { fault: 'the API is restarted' },
    { fault: 'the API is killed' },
    { fault: 'the worker is killed' },
    { fault: 'the worker is killed, and the model says something else', says: `try ${WHICH_TRY}: ` },
  ])('in the middle of a text $fault, and the page ends with the stored text', async ({ fault, says = '' }) => {
    await using chat = await openChat();
    await using browser = await open(chat.url);
    const { page } = browser;
    await page.waitForURL(/\/chat\/conv_/);
    await say(page, slowly(`Hello. ${says}${STORY}`));
    await answerOf(page).getByText('word 3 ').waitFor();

    if (fault === 'the page is reloaded') await page.reload();
    if (fault === 'the API is restarted') await chat.replaceApi('SIGTERM');
    if (fault === 'the API is killed') await chat.replaceApi('SIGKILL');
    if (fault.startsWith('the worker')) await chat.replaceWorker();
    await answerOf(page).getByText('word 39').waitFor({ timeout: 90_000 });
    await untilReady(page);

    const stored = (await chat.latestTurn())?.output;
    expect(stored).toContain(says ? 'try 2: ' : STORY);
    expect(await answerOf(page).textContent()).toBe(stored);
    expect(await page.locator('article').count()).toBe(2);
    await say(page, slowly('And on.'));
    await answerOf(page).getByText('And on.').waitFor();
    await untilReady(page);
    await page.reload();
    await answerOf(page).getByText('And on.').waitFor();
    expect(await page.locator('article.assistant').allTextContents()).toEqual([stored, 'And on.']);
  });

  test('Stop in the chat cancels the turn and keeps its text so far', async () => {
    await using chat = await openChat();
    await using browser = await open(chat.url);
    const { page } = browser;
    await say(page, slowly(STORY));
    await answerOf(page).getByText('word 3 ').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await untilReady(page);

    expect((await chat.latestTurn())?.status).toBe('cancelled');
    expect(await answerOf(page).textContent()).toContain('word 3 ');
    expect(browser.problems).toEqual([]);
  });
});
