import { source as axe } from 'axe-core';
import { expect, test } from 'vitest';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { browserSuite } from './browser-suite.ts';
import { openTurn } from './open-turn.ts';

browserSuite('answers', (open) => {
  test('a long answer shows its beginning as Markdown, and its full text after a click', async () => {
    const answer = Array.from({ length: 10_000 }, (_, line) => `**${line}**`).join('\n\n');
    await using opened = await openTurn(open, { input: scripted({ answer }) }, { shows: 'conversation' });
    const { page } = opened;
    const paragraphs = page.locator('.reply .markdown p');

    const showAll = page.getByRole('button', { name: `Show all ${answer.length.toLocaleString('en')} characters` });
    await showAll.waitFor();
    const before = await paragraphs.count();
    await showAll.click();
    await page.getByText('9999', { exact: true }).waitFor();

    expect(before).toBeGreaterThan(1_000);
    expect(before).toBeLessThan(8_000);
    expect(await paragraphs.count()).toBe(10_000);
    expect(await showAll.count()).toBe(0);
  });

  test('a long answer that still grows shows its newest text', async () => {
    const answer = Array.from({ length: 4_000 }, (_, line) => `**${line}**`).join('\n\n');
    const script = scripted({ answer, final: { piece_chars: 3_000, pace_ms: 400 } });
    await using opened = await openTurn(open, { input: script }, { works: false, shows: 'conversation' });
    const { harness, page } = opened;
    await using _worker = await startBackgroundWorker(harness);

    await page.locator('.streaming').getByText('100', { exact: true }).waitFor();
    await page.locator('.streaming').getByText('1500', { exact: true }).waitFor();
    await page.getByRole('article', { name: 'Answer' }).getByText('3999', { exact: true }).waitFor();
  });

  test('an answer has aligned columns, coloured code and formulas', async () => {
    const answer =
      '| a | b |\n|---|--:|\n| x | 1 |\n\n```js\nconst one = 1;\n```\n\nSo \\(x^2\\) and \\(\\wrong\\).\n\n$$\n\\frac12\n$$';
    await using opened = await openTurn(open, { input: scripted({ answer }) }, { shows: 'conversation' });
    const { page } = opened;
    const reply = page.locator('.reply');

    await reply.locator('.hljs-keyword').waitFor();
    await reply.locator('math mfrac').waitFor();
    await reply.locator('math msup').waitFor();
    const align = await page.evaluate(
      '[...document.querySelectorAll(".reply td")].map((cell) => getComputedStyle(cell).textAlign)',
    );

    expect(align).toEqual(['left', 'right']);
    expect(await reply.locator('.hljs-keyword').innerText()).toBe('const');
    expect(await reply.getByRole('region', { name: 'Code in js' }).innerText()).toBe('const one = 1;');
    expect(await reply.locator('.formula').nth(1).innerText()).toBe('\\(\\wrong\\)');
  });

  test('a formula is drawn inside its box, and axe finds no violation', async () => {
    const wide = '\\rule{20em}{5em}'.repeat(10);
    const answer = `So \\(\\kern-20em\\rule{20em}{5em}\\) and \\(${wide}\\) and\n\n$$\n\\hspace{-900em}${wide}\n$$\n\n$$\n1${wide}\n$$`;
    await using opened = await openTurn(open, { input: scripted({ answer }) }, { shows: 'conversation' });
    const { page } = opened;
    const formulas = page.locator('.reply .formula');

    await formulas.locator('math').nth(3).waitFor();
    const places = await page.evaluate(REACH_OF_FORMULAS);
    await page.evaluate(axe);
    const violations = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');

    expect(places).toEqual(Array(4).fill({ isWithinReply: true, reachesOutside: false }));
    expect(violations).toEqual([]);
  });
});

/**
 * A script that checks that each formula is within its answer, and that no point outside its box belongs to its
 * drawing.
 */
const REACH_OF_FORMULAS = `[...document.querySelectorAll('.reply .formula')].map((formula) => {
  const place = formula.getBoundingClientRect();
  const reply = formula.closest('.reply').getBoundingClientRect();
  let reachesOutside = false;
  for (let x = 0; x < innerWidth; x += 5) {
    for (let y = 0; y < innerHeight; y += 5) {
      const isOutside = x < place.left - 1 || x > place.right + 1 || y < place.top - 1 || y > place.bottom + 1;
      if (isOutside && formula.contains(document.elementFromPoint(x, y))) reachesOutside = true;
    }
  }
  return { isWithinReply: place.left >= reply.left && place.right <= reply.right, reachesOutside };
})`;
