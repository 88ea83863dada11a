import { expect, test } from 'vitest';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { browserSuite } from './browser-suite.ts';
import { openTurn } from './open-turn.ts';

const clientTool = { name: 'read_clipboard', description: 'Reads the clipboard of the client' };
const scriptOf = (name: string, args = {}) =>
  scripted({ rounds: [{ tools: [{ name, arguments: args, id: 'call_1' }] }], answer: 'So: {{results}}' });

browserSuite('actions on a turn', (open) => {
  test('a running turn is cancelled with a click', async () => {
    await using opened = await openTurn(open, { input: 'Hi' }, { works: false });
    const { harness, id, page } = opened;

    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('status').getByText('Cancelled', { exact: true }).waitFor();

    expect((await harness.findTurn(id)).status).toBe('cancelled');
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  });

  test('a failed turn is resumed by keyboard, and its page continues to update', async () => {
    const fault = { kind: 'status' as const, status: 401, times: 1 };
    await using opened = await openTurn(open, {
      input: scripted({ rounds: [], answer: 'At last.', final: { fault } }),
    });
    const { harness, page } = opened;
    await page.getByText('provider_authentication_failed').first().waitFor();

    await page.getByRole('button', { name: 'Retry' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Resumed' }).waitFor();
    await harness.workUntilIdle();
    await page.getByRole('region', { name: 'Answer' }).getByText('At last.').waitFor();

    expect(await page.getByRole('region', { name: 'Problems' }).count()).toBe(0);
  });

  test('a call is approved with a click, and runs', async () => {
    await using tool = await openExternalServer(() => ({ status: 200, body: 'sent' }));
    const tools = [httpTool('send_money', tool.url, { approval: 'always' })];
    await using opened = await openTurn(open, { input: scriptOf('send_money', { city: 'Tokyo' }), tools });
    const { harness, page } = opened;
    await using _worker = await startBackgroundWorker(harness);

    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('region', { name: 'Answer' }).getByText('So: sent').waitFor();

    expect(tool.caught).toHaveLength(1);
    expect(await page.locator('#main').evaluate((main) => main.matches(':focus'))).toBe(true);
    await page.getByRole('heading', { name: 'Waited for a person' }).waitFor();
  });

  test('changed arguments of a call are checked at their line before the approval', async () => {
    await using tool = await openExternalServer(() => ({ status: 200, body: 'sent' }));
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string' }, amount: { type: 'number', maximum: 9 } },
    };
    const tools = [httpTool('send_money', tool.url, { approval: 'always', parameters })];
    const input = scriptOf('send_money', { city: 'Tokyo', amount: 5 });
    await using opened = await openTurn(open, { input, tools }, { reports: true });
    const { harness, page } = opened;
    await using _worker = await startBackgroundWorker(harness);
    const field = page.getByLabel('Changed arguments');

    await page.getByRole('button', { name: 'Change the arguments' }).click();
    await field.fill('{\n  "city": "Kyoto",\n  "amount": 10\n}');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/^Line 3: Correct `approvals\[0\]\.arguments\.amount`/).waitFor();
    const selected = await page.evaluate('String(getSelection())');
    await field.fill('{ "city": "Kyoto", "amount": 9 }');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('region', { name: 'Answer' }).getByText('sent').waitFor();
    await page.locator('.call summary').click();
    const approved = await page.getByLabel('Approved arguments of send_money').innerText();

    expect(selected).toBe('10');
    expect(JSON.parse(approved)).toEqual({ city: 'Kyoto', amount: 9 });
    expect(tool.caught).toHaveLength(1);
  });

  test('a call is denied by keyboard, with a reason, and never runs', async () => {
    await using tool = await openExternalServer();
    const tools = [httpTool('send_money', tool.url, { approval: 'always' })];
    await using opened = await openTurn(open, { input: scriptOf('send_money', { city: 'Tokyo' }), tools });
    const { harness, page } = opened;
    await using _worker = await startBackgroundWorker(harness);

    await page.getByLabel('Reason').focus();
    await page.keyboard.type('Not today.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Answer' }).getByText('A person denied this call: Not today.').waitFor();

    expect(tool.caught).toHaveLength(0);
  });

  test.each([
    ['result', 'Submit result', 'So: 42'],
    ['error', 'Submit as error', 'So: Tool execution failed (unknown): 42'],
  ])('a person enters a client’s %s', async (_, button, answer) => {
    await using opened = await openTurn(open, { input: scriptOf('read_clipboard'), tools: [clientTool] });
    const { harness, page } = opened;
    await using _worker = await startBackgroundWorker(harness);

    await page.getByLabel('Result', { exact: true }).fill('42');
    await page.getByRole('button', { name: button }).press('Enter');

    await page.getByRole('region', { name: 'Answer' }).getByText(answer).waitFor();
  });

  test('a refusal of the API is shown in its words', async () => {
    await using opened = await openTurn(
      open,
      { input: scriptOf('read_clipboard'), tools: [clientTool] },
      { reports: true },
    );
    const { page } = opened;
    await page.getByLabel('Result', { exact: true }).fill('42');
    await page.route('**/tool_outputs', (route) => route.abort());

    await page.getByRole('button', { name: 'Submit result' }).click();

    await page.getByText('Pawl does not answer').waitFor();
    expect(await page.getByLabel('Result', { exact: true }).inputValue()).toBe('42');
  });

  test('a failed delivery is sent again', async () => {
    await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 410 : 200 }));
    await using opened = await openTurn(open, { input: 'Hi', webhook: { url: receiver.url } });
    const { harness, page } = opened;
    const deliveries = page.getByRole('region', { name: 'Webhook deliveries' });
    await deliveries.getByText('HTTP 410').waitFor();

    await deliveries.getByRole('button', { name: 'Redeliver' }).click();
    await deliveries.getByText('pending').waitFor();
    await harness.workUntilIdle();
    await deliveries.getByText('delivered', { exact: true }).waitFor();

    expect(receiver.caught.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(2).fill(expect.stringMatching(/^evt_/)),
    );
  });
});
