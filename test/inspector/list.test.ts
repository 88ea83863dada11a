import { expect, test } from 'vitest';
import { createWorld } from '#test/world/create-world.ts';
import { browserSuite } from './browser-suite.ts';

browserSuite('the list of turns', (open) => {
  test('it shows status, words, model, rounds and age, and what happens next by itself', async () => {
    await using world = await createWorld();
    await world.startTurn({ input: 'Say hello to Ada.' });
    await using inspector = await open(world.url);
    const row = inspector.page.locator('a.row');

    await row.getByText('Queued').waitFor();
    await world.workUntilIdle();
    await row.getByText('Completed').waitFor();

    expect(await row.innerText()).toMatch(/Completed\s+Say hello to Ada\.\s+openai\/test\s+1 round\s+(now|\d+ s ago)/);
    expect(inspector.problems).toEqual([]);
  });

  test('it is filtered by status, and by conversation', async () => {
    await using world = await createWorld();
    const { id, conversation_id } = await world.startTurn({ input: 'First.' });
    await world.startTurn({ input: 'Second.' });
    await world.call('POST', `/v1/turns/${id}/cancel`);
    await using inspector = await open(world.url);
    const titles = () => inspector.page.locator('a.row .title').allInnerTexts();

    await inspector.page.getByRole('link', { name: 'Cancelled', exact: true }).click();
    await expect.poll(titles).toEqual(['First.']);
    await inspector.page.getByRole('link', { name: 'All', exact: true }).click();
    await expect.poll(titles).toEqual(['Second.', 'First.']);
    await inspector.page.getByRole('searchbox').fill(conversation_id);
    await inspector.page.keyboard.press('Enter');
    await expect.poll(titles).toEqual(['First.']);

    expect(await inspector.page.getByRole('link', { name: 'All', exact: true }).getAttribute('aria-current')).toBe(
      'true',
    );
  });

  test('older turns are a page further, and the newest one step back', async () => {
    await using world = await createWorld();
    for (let number = 1; number <= 22; number += 1) await world.startTurn({ input: `Turn ${number}.` });
    await using inspector = await open(world.url);
    const titles = () => inspector.page.locator('a.row .title').allInnerTexts();

    await expect.poll(titles).toHaveLength(20);
    await inspector.page.getByRole('link', { name: 'Older' }).click();
    await expect.poll(titles).toEqual(['Turn 2.', 'Turn 1.']);
    await inspector.page.getByRole('link', { name: 'Newest' }).click();
    await expect.poll(titles).toHaveLength(20);

    expect(inspector.problems).toEqual([]);
  });

  test('one moves through it by keys alone', async () => {
    await using world = await createWorld();
    await world.startTurn({ input: 'First.' });
    await world.startTurn({ input: 'Second.' });
    await using inspector = await open(world.url);
    const { page } = inspector;
    await page.locator('a.row').first().waitFor();

    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'First.' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Turns' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('turn_unknown');
    await page.keyboard.press('Enter');

    await page.getByRole('alert').getByText('There is no turn').waitFor();
  });

  test('without any turns it says how to begin', async () => {
    await using world = await createWorld();
    await using inspector = await open(world.url);

    await inspector.page.getByRole('link', { name: 'Start one' }).click();
    await inspector.page.getByLabel('Model').fill('openai/test');
    await inspector.page.getByLabel('Input').fill('Say hello to Ada.');
    await inspector.page.getByLabel('weather_lookup').check();
    await inspector.page.keyboard.press('Control+Enter');
    await inspector.page.getByRole('heading', { name: 'Say hello to Ada.' }).waitFor();
    await world.workUntilIdle();
    await inspector.page.getByRole('region', { name: 'Answer' }).getByText('sunny').waitFor();

    expect(inspector.problems).toEqual([]);
  });
});
