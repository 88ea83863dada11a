import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { browserSuite } from './browser-suite.ts';

const FIRST = { model: 'openai/test', instructions: 'You help {{customer}}.\nBe polite.', tools: ['note_visit'] };
const SECOND = { instructions: 'You help {{customer}}.\nBe brief.', tools: ['weather_lookup'] };

/** Creates the agent `support` with two versions. Returns its id. */
async function createSupport(harness: Harness): Promise<string> {
  const { body } = await harness.call<{ id: string }>('POST', '/v1/agents', { body: { name: 'support', ...FIRST } });
  await harness.call('PATCH', `/v1/agents/${body.id}`, { body: SECOND });
  return body.id;
}

async function labelsOf(harness: Harness): Promise<unknown> {
  return (await harness.call<{ labels: unknown }>('GET', '/v1/agents/support')).body.labels;
}

const isWider = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

browserSuite('the pages of agents', (open) => {
  test('the list of agents has versions, labels and models, and keys open an agent', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/#/agents`, { width: 375 });
    const { page, problems } = inspector;
    await page.getByText('No agents yet').waitFor();
    await createSupport(harness);
    const body = { versions: { 1: 90, 2: 10 } };
    await harness.call('PUT', '/v1/agents/support/labels/production', { body });

    await page.reload();
    await page.locator('a.row').waitFor();
    const row = await page.locator('a.row').innerText();
    const wider = await isWider(page);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'support', level: 1 }).waitFor();
    const current = await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current]').innerText();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Agents' }).waitFor();

    expect(row.replace(/\s+/g, ' ')).toMatch(
      /^support version 2 production version 1 for 90%, version 2 for 10% openai\/test /,
    );
    expect([current, wider]).toEqual(['Agents', 0]);
    expect(problems).toEqual([]);
  });

  test('the page of an agent shows the lines and tools that differ between two versions', async ({ harness }) => {
    await createSupport(harness);
    await harness.call('PATCH', '/v1/agents/support', { body: { temperature: 0 } });
    await using inspector = await open(`${harness.url}/#/agents/support`, { width: 375 });
    const { page, problems } = inspector;
    const differences = page.getByRole('region', { name: 'Differences' });
    const status = differences.getByRole('status');

    await waitUntil(async () => expect(await status.innerText()).toBe('1 difference from version 2 to version 3'));
    const turns = await page.getByRole('link', { name: 'Turns of support@1' }).getAttribute('href');
    await page.getByLabel('From version').selectOption('1');
    await page.getByLabel('To version').selectOption('2');
    await waitUntil(async () => expect(await status.innerText()).toBe('3 differences from version 1 to version 2'));
    const fields = await differences.getByRole('heading', { level: 3 }).allInnerTexts();
    const lines = await differences.getByRole('region', { name: 'Lines of instructions' }).innerText();
    await page.getByLabel('From version').selectOption('2');
    await differences.getByText('Version 2 and version 2 have the same fields.').waitFor();

    expect(turns).toBe('#/turns?agent=support@1');
    expect(fields).toEqual(['instructions changed', 'tool note_visit removed', 'tool weather_lookup added']);
    expect(lines.split('\n')).toEqual(['  You help {{customer}}.', '− Be polite.', '+ Be brief.']);
    expect(await isWider(page)).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a label of an agent is set, split by weights, and removed after a question', async ({ harness }) => {
    await createSupport(harness);
    await using inspector = await open(`${harness.url}/#/agents/support`);
    const { page, problems } = inspector;
    const labels = page.getByRole('region', { name: 'Labels' });
    const versions = page.getByLabel('Version', { exact: true });

    await labels.getByRole('button', { name: 'Set a label' }).click();
    await page.getByLabel('Label', { exact: true }).fill('production');
    await versions.fill('9');
    await page.getByRole('button', { name: 'Set it' }).click();
    const refused = page.getByRole('alert').getByText('The agent support has no version 9.');
    await refused.waitFor();
    await versions.fill('1');
    await page.getByRole('button', { name: 'Set it' }).click();
    await labels.getByText('version 1').waitFor();
    const set = await labelsOf(harness);
    await labels.getByRole('button', { name: 'Change production' }).click();
    await page.getByRole('button', { name: 'Add a version' }).click();
    await versions.nth(1).fill('2');
    await page.getByLabel('Weight').nth(0).fill('3');
    await page.getByRole('button', { name: 'Set it' }).click();
    await labels.getByText('version 1 for 75%, version 2 for 25%').waitFor();
    const split = await labelsOf(harness);
    await labels.getByRole('button', { name: 'Remove production' }).click();
    const asked = await page.getByRole('dialog').innerText();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await labels.getByText('A label names a version').waitFor();

    expect([set, split]).toEqual([{ production: { version: 1 } }, { production: { versions: { 1: 3, 2: 1 } } }]);
    expect(asked).toContain('The API refuses new turns with support@production.');
    expect(await labelsOf(harness)).toEqual({});
    expect(problems).toEqual([expect.stringContaining('404 (Not Found)')]);
  });

  test('a turn starts with an agent and its variables, and links to its version', async ({ harness }) => {
    await createSupport(harness);
    await using inspector = await open(`${harness.url}/#/agents/support`);
    const { page } = inspector;
    const variable = page.getByLabel('customer');

    await page.getByRole('link', { name: 'Start a turn' }).click();
    await page.getByLabel('Input').fill('Hi');
    await variable.waitFor();
    const model = await page.getByLabel('Model', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'Start turn' }).click();
    await page.getByText('The variable "customer" of the instructions has no value.').waitFor();
    const isMarked = await variable.evaluate((field) => field.matches('[aria-invalid]:focus'));
    await variable.fill('Ada');
    await page.getByRole('button', { name: 'Start turn' }).click();
    await page.waitForURL(/#\/turns\/turn_/);
    await page.getByRole('link', { name: 'support@2' }).click();
    await page.getByText('Version 2, the current version').waitFor();

    const { body: turns } = await harness.call<{ data: TurnResource[] }>('GET', '/v1/turns');
    const { body } = await harness.call('GET', `/v1/conversations/${turns.data[0]?.conversation_id}`);
    expect([model, isMarked]).toEqual(['', true]);
    expect(turns.data[0]?.agent).toMatchObject({ name: 'support', version: 2 });
    expect(body).toMatchObject({ agent: 'support', model: null, variables: { customer: 'Ada' }, tools: [] });
  });

  test('a conversation shows its agent and variables, and a turn starts again with both', async ({ harness }) => {
    await createSupport(harness);
    const request = { model: null, agent: 'support@1', variables: { customer: 'Ada' } };
    const { id, conversation_id: conversationId } = await harness.startTurn({ input: 'Hi', ...request });
    await using inspector = await open(`${harness.url}/#/conversations/${conversationId}`);
    const { page, problems } = inspector;

    const link = page.getByRole('link', { name: 'support@1' });
    await link.waitFor();
    const variables = await page.getByRole('region', { name: 'Variables' }).innerText();
    const href = await link.getAttribute('href');
    await page.goto(`${harness.url}/#/new?from=${id}`);
    await page.getByLabel('customer').waitFor();
    const fields = ['Agent', 'Model', 'customer'].map((name) => page.getByLabel(name, { exact: true }).inputValue());

    expect(variables).toMatch(/customer\s+Ada/);
    expect(href).toBe('#/agents/support?version=1');
    expect(await Promise.all(fields)).toEqual(['support@1', '', 'Ada']);
    expect(problems).toEqual([]);
  });

  test('a version of a deleted agent stays readable, and starts no turn', async ({ harness }) => {
    const id = await createSupport(harness);
    await harness.startTurn({ input: 'Hi', model: null, agent: 'support', variables: { customer: 'Ada' } });
    await harness.call('DELETE', `/v1/agents/${id}`);
    await using inspector = await open(`${harness.url}/#/agents/${id}?version=1`);
    const { page } = inspector;

    await page.getByText('This agent is deleted.').waitFor();

    const configuration = page.getByRole('region', { name: 'Configuration' });
    expect(await configuration.getByRole('region', { name: 'Instructions' }).innerText()).toBe(FIRST.instructions);
    expect(await page.getByRole('link', { name: 'Start a turn' }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Labels' }).count()).toBe(0);
  });

  test('the model suggested for a new turn does not override the model of an agent', async ({ harness }) => {
    await createSupport(harness);
    await using inspector = await open(`${harness.url}/#/new`);
    const { page } = inspector;
    const model = page.getByLabel('Model', { exact: true });
    const values: string[] = [];

    values.push(await model.inputValue());
    await page.getByLabel('Agent').fill('support');
    await page.getByLabel('customer').waitFor();
    values.push(await model.inputValue());
    await page.getByLabel('Agent').fill('');
    await page.getByLabel('customer').waitFor({ state: 'detached' });
    values.push(await model.inputValue());

    expect(values[1]).toBe('');
    expect(values[2]).toBe(values[0]);
  });
});
