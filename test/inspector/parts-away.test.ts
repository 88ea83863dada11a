import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { closedPort } from '../tools/servers.ts';
import { browserSuite } from './browser-suite.ts';

browserSuite('notes about missing parts', (open) => {
  test('a note about missing workers is above a queued turn until a worker starts', async () => {
    await using harness = await createHarness();
    const { id } = await harness.startTurn({ model: 'sim/demo', input: 'Say hello.' });
    await using inspector = await open(`${harness.url}/#/turns/${id}`);
    const { page } = inspector;
    const note = page.getByText('No worker is running. Start a worker with npm run worker.');

    await note.waitFor();
    await page.getByRole('status').getByText('Queued').waitFor();
    await using _worker = await startBackgroundWorker(harness);
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await note.waitFor({ state: 'detached' });

    expect(inspector.problems).toEqual([]);
  });

  test('the page for a new turn says which MCP servers did not list their tools', async () => {
    const PAWL_MCP = JSON.stringify({ gone: { url: `http://127.0.0.1:${await closedPort()}/mcp` } });
    await using harness = await createHarness({ env: { PAWL_MCP } });
    await using inspector = await open(`${harness.url}/#/new`);

    await inspector.page.getByText(/^The MCP server "gone" .+ Try again in a moment\.$/).waitFor();

    expect(inspector.problems).toEqual([]);
  });
});
