import type OpenAI from 'openai';
import { expect } from 'vitest';
import { answered, openApproving, pay } from '#test/api/openai/responses/approving.ts';
import { openaiClient } from '#test/api/openai/responses/openai-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { browserSuite } from './browser-suite.ts';

type Input = OpenAI.Responses.ResponseCreateParams['input'] & {};

const CHEQUERED_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABACAMAAADS6oI8AAAABlBMVEVPRuUNlIiT7crKAAAAPElEQVR42u3XIQoAAAgEQf3/p+1i' +
  'NAjOVsPANSNa2dq+AwAAAOAmYBIAAAAATJkMAAAA/AcmAQAAgLdAAaC/DAFZlTt5AAAAAElFTkSuQmCC';

const image = {
  type: 'input_image' as const,
  image_url: `data:image/png;base64,${CHEQUERED_PNG}`,
  detail: 'auto' as const,
};
const script = scripted({
  rounds: [{ say: 'Let me see.', tools: [{ name: 'locate', arguments: {}, id: 'call_a' }] }],
  answer: 'It is sunny.',
});

const asksAgain = scripted({
  rounds: [{ say: 'Which one?', tools: [{ name: 'locate', arguments: { city: 'Paris' }, id: 'call_b' }] }],
  answer: 'Noted.',
});

const locate = { type: 'function' as const, name: 'locate', parameters: null, strict: null };

type Following = { previous?: string; tools?: (typeof locate)[] };

/** Creates a background response, and runs it to its end. */
async function respond(harness: Harness, input: Input, { previous, tools = [] }: Following = {}): Promise<string> {
  const { id } = await openaiClient(harness).responses.create({
    ...{ model: 'test', background: true, tools, input, previous_response_id: previous ?? null },
  });
  await harness.workUntilIdle();
  return id;
}

/** Creates a response with a next response and two forks. */
async function playChain(harness: Harness) {
  const first = await respond(harness, 'I am Ada.');
  const second = await respond(harness, 'Who am I?', { previous: first });
  const left = await respond(harness, 'Left?', { previous: first });
  const right = await respond(harness, 'Right?', { previous: first });
  return { first, second, left, right };
}

/** Creates a fork with all parts of a response page: items, calls, its origin and its own forks. */
async function playMiddle(harness: Harness, previous: string): Promise<string> {
  const question = { role: 'user' as const, content: [image, { type: 'input_text' as const, text: script }] };
  const asked = await respond(harness, [question], { previous, tools: [locate] });
  const answer = { type: 'function_call_output' as const, call_id: 'call_a', output: [image] };
  const again = { role: 'user' as const, content: `And in Paris?\n${asksAgain}` };
  const middle = await respond(harness, [answer, again], { previous: asked, tools: [locate] });
  for (const content of ['Rome it is.', 'Oslo it is.']) {
    const output = { ...answer, call_id: 'call_b', output: 'Sunny' };
    await respond(harness, [output, { role: 'user', content }], { previous: middle });
  }
  return middle;
}

browserSuite('the page of a response', (open) => {
  test('calls of the caller and their results are shown as such', async ({ harness }) => {
    const question = { role: 'user' as const, content: [image, { type: 'input_text' as const, text: script }] };
    const asked = await respond(harness, [question], { tools: [locate] });
    const output = { type: 'function_call_output' as const, call_id: 'call_a', output: [image] };
    const id = await respond(harness, [output], { previous: asked });
    await using inspector = await open(`${harness.url}/#/turns/${asked.replace('resp_', 'turn_')}`);
    const { page, problems } = inspector;
    await page.getByRole('heading', { name: 'Completed' }).waitFor();

    expect(await page.locator('.call .badge').allInnerTexts()).toEqual(['handed over']);
    await page.getByText('The caller runs this call, and sends its result in the input of a next response.').waitFor();
    await page.locator('.call summary').first().click();
    await page.goto(`${harness.url}/#/turns/${id.replace('resp_', 'turn_')}`);
    await page.getByRole('heading', { name: 'Completed' }).waitFor();
    expect(await page.locator('.message').allInnerTexts()).toEqual([expect.stringMatching(/result\s+call_a/)]);
    expect(await page.locator('.message img').getAttribute('src')).toBe(image.image_url);
    expect(problems).toEqual([]);
  });

  test('sent items of each kind are shown, with their content as text', async ({ harness }) => {
    const client = openaiClient(harness);
    const { id } = await client.responses.create({
      ...{ model: 'test', background: true },
      input: [
        { role: 'developer', content: '<b>Be brief.</b>' },
        { type: 'function_call', call_id: 'call_b', name: 'locate', arguments: '{"who":"Ada"}' },
        { type: 'function_call_output', call_id: 'call_b', output: 'In Rome.' },
        { role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' }] },
      ],
    });
    await using inspector = await open(`${harness.url}/#/turns/${id.replace('resp_', 'turn_')}`);
    const { page, problems } = inspector;

    await page.locator('.input > summary').click();

    await waitUntil(async () =>
      expect(await page.locator('.message').allInnerTexts()).toEqual([
        expect.stringMatching(/^developer\s+<b>Be brief\.<\/b>$/),
        expect.stringMatching(/^earlier call\s+call_b\s+locate\(\{"who":"Ada"\}\)$/),
        expect.stringMatching(/^result\s+call_b\s+In Rome\.$/),
        expect.stringMatching(/^user\s+image: https:\/\/example\.com\/a\.png$/),
      ]),
    );
    expect(problems).toEqual([]);
  });

  test('the page shows the response of a turn and its chain, and both ids can be copied', async ({ harness }) => {
    const { first, second, left } = await playChain(harness);
    await using inspector = await open(`${harness.url}/#/turns/${second.replace('resp_', 'turn_')}`);
    const { page, problems } = inspector;
    const chain = page.getByRole('navigation', { name: 'Chain' });
    const links = () => chain.getByRole('listitem').allInnerTexts();

    await waitUntil(async () =>
      expect(await links()).toEqual([expect.stringMatching(/^Previous\s+I am Ada\.\s+Completed$/)]),
    );
    await page.getByRole('button', { name: `Copy ${second}` }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(second);
    await page.getByRole('button', { name: 'Copy turn_' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(second.replace('resp_', 'turn_'));
    await page.getByText('Background').waitFor();

    await chain.getByRole('link', { name: 'Previous' }).click();
    await waitUntil(async () =>
      expect(await links()).toEqual([
        expect.stringMatching(/^Next\s+Who am I\?\s+Completed$/),
        expect.stringMatching(/^Fork\s+Right\?\s+Completed$/),
        expect.stringMatching(/^Fork\s+Left\?\s+Completed$/),
      ]),
    );
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await waitUntil(async () =>
      expect(await links()).toEqual([expect.stringMatching(/^Forked from\s+I am Ada\.\s+Completed$/)]),
    );

    await openaiClient(harness).responses.delete(first);
    await page.goto(`${harness.url}/#/turns/${left.replace('resp_', 'turn_')}`);
    await waitUntil(async () => expect(await links()).toEqual([`Previous${first} was deleted`]));
    expect(problems).toEqual([]);
  });

  test('a fork that is created while the page is open is shown automatically', async ({ harness }) => {
    const { second } = await playChain(harness);
    await using inspector = await open(`${harness.url}/#/turns/${second.replace('resp_', 'turn_')}`);
    const chain = inspector.page.getByRole('navigation', { name: 'Chain' });
    await chain.getByText('Previous').waitFor();

    const create = { model: 'test', background: true, input: 'And then?', previous_response_id: second };
    await openaiClient(harness).responses.create(create);

    await chain.getByRole('link', { name: 'Next' }).getByText('Queued').waitFor();
    expect(inspector.problems).toEqual([]);
  });

  test('a turn is found by the id of its response or of an item', async ({ harness }) => {
    const { first } = await playChain(harness);
    await using inspector = await open(harness.url);
    const { page, problems } = inspector;

    for (const id of [first, `${first.replace('resp_', 'msg_')}_r1`]) {
      await page.goto(`${harness.url}/#/turns`);
      await page.getByRole('searchbox').fill(id);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'I am Ada.' }).waitFor();
    }

    expect(problems).toEqual([]);
  });

  test('a call shows that Pawl runs it after its approval', async () => {
    await using opened = await openApproving();
    const { id } = await opened.ask(pay());
    await using inspector = await open(`${opened.harness.url}/#/turns/${id.replace('resp_', 'turn_')}`);

    await inspector.page.getByText('Pawl runs this call when a next response approves it.').waitFor();
    expect(inspector.problems).toEqual([]);
  });

  test.each([
    ['light', {}],
    ['dark', { dark: true }],
    ['phone', { width: 360 }],
  ])('%s: the page of a response is no wider than the screen', async (name, reader) => {
    await using harness = await createHarness();
    const { first } = await playChain(harness);
    const middle = await playMiddle(harness, first);
    await using inspector = await open(`${harness.url}/#/turns/${middle.replace('resp_', 'turn_')}`, reader);
    const { page } = inspector;

    await page.getByRole('navigation', { name: 'Chain' }).waitFor();
    await page.getByRole('heading', { name: 'Completed' }).waitFor();
    await page.screenshot({ path: `${import.meta.dirname}/screenshots/response-${name}.png`, fullPage: true });

    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBe(0);
    expect(inspector.problems).toEqual([]);
  });

  test('calls that a person has allowed are shown before the first round', async () => {
    await using opened = await openApproving();
    const asked = await opened.ask(pay());
    const { id } = await opened.run({ previous_response_id: asked.id, input: [answered(asked.requests[0]!)] });
    await using inspector = await open(`${opened.harness.url}/#/turns/${id.replace('resp_', 'turn_')}`);
    const { page, problems } = inspector;
    await page.getByRole('heading', { name: 'Completed' }).waitFor();

    const titles = await page.locator('.timeline h3').allInnerTexts();
    expect(titles.filter((title) => /^(Allowed|Round)/.test(title))).toEqual(['Allowed calls', 'Round 1']);
    expect(await page.locator('.call .badge').allInnerTexts()).toEqual(['success']);
    expect(problems).toEqual([]);
  });
});
