import { expect, test } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { browserSuite, type OpenInspector } from './browser-suite.ts';
import { type OpenedTurn, openTurn } from './open-turn.ts';

const ROUNDS = 40;

/** Opens the page of a turn of many rounds after this number of jobs. A job is a round or a batch. */
async function openLongTurn(open: OpenInspector, jobs: number): Promise<OpenedTurn> {
  const lookUp = (city: string) => ({ name: 'weather_lookup', arguments: { city } });
  const rounds = Array.from({ length: ROUNDS }, (_, index) => ({
    say: `Look ${index + 1}.`,
    tools: [lookUp(`C${index}`)],
  }));
  const request = { input: scripted({ rounds, answer: 'Done.' }), tools: ['weather_lookup'] };
  const opened = await openTurn(open, request, { works: false });
  for (let job = 0; job < jobs && (await opened.harness.workOnce()); job += 1);
  return opened;
}

browserSuite('a turn of many rounds', (open) => {
  test('the middle of a long turn is folded, and opens and closes by keyboard', async () => {
    await using opened = await openLongTurn(open, Number.POSITIVE_INFINITY);
    const { page } = opened;
    const headings = () => page.locator('.timeline h3:visible').allInnerTexts();
    const rounds = async () => (await headings()).filter((heading) => heading.startsWith('Round '));
    const fold = page.locator('summary', { hasText: 'Rounds 4 to 36 · 33 tool calls' });
    await fold.waitFor();

    const folded = await rounds();
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    await fold.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Round 20', exact: true }).waitFor();
    const unfolded = await rounds();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Round 20', exact: true }).waitFor({ state: 'hidden' });

    expect(folded).toEqual([1, 2, 3, 37, 38, 39, 40, 41].map((number) => `Round ${number}`));
    expect(unfolded).toEqual(Array.from({ length: ROUNDS + 1 }, (_, index) => `Round ${index + 1}`));
    expect(height).toBeLessThan(4_000);
  });

  test('a running turn shows its last rounds, and a reader at its end stays there', async () => {
    await using opened = await openLongTurn(open, 30);
    const { harness, page } = opened;
    await page.locator('summary', { hasText: 'Rounds 4 to 10 ·' }).waitFor();
    await page.locator('.timeline > ol > :last-child').scrollIntoViewIfNeeded();

    for (let job = 0; job < 10; job += 1) await harness.workOnce();
    await page.locator('summary', { hasText: 'Rounds 4 to 15 ·' }).waitFor();

    const last = page.locator('.timeline > ol > :last-child');
    await waitUntil(async () => expect(await last.innerText()).toMatch(/^Round 21\b/));
    const place = '(({ top, bottom }) => bottom > 0 && top < innerHeight)';
    const isInSight = `${place}(document.querySelector('.timeline > ol > :last-child').getBoundingClientRect())`;
    await waitUntil(async () => expect(await page.evaluate(isInSight)).toBe(true));
  });

  test('an open fold stays open, and includes rounds that move into the middle', async () => {
    await using opened = await openLongTurn(open, 30);
    const { harness, page } = opened;
    await page.locator('summary', { hasText: 'Rounds 4 to 10 ·' }).click();
    const inFold = page.locator('.folded h3', { hasText: /^Round / });
    await waitUntil(async () => expect(await inFold.count()).toBe(7));

    await harness.workOnce();
    await harness.workOnce();

    await waitUntil(async () =>
      expect(await inFold.allInnerTexts()).toEqual([4, 5, 6, 7, 8, 9, 10, 11].map((n) => `Round ${n}`)),
    );
  });
});
