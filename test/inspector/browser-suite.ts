import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { BOUND_MS } from '#test/harness/wait-until.ts';

/** An open page, and the problems its browser reported: failed scripts, refused assets, dialogs. */
export type Inspector = AsyncDisposable & { page: Page; problems: string[] };

export type Reader = { dark?: boolean; width?: number };

/** Opens a page of an API for a reader with a separate browser. */
export type OpenInspector = (url: string, reader?: Reader) => Promise<Inspector>;

/**
 * Describes a suite in a real browser. Without Chromium the suite is skipped with a note, or fails if
 * REQUIRE_CHROMIUM is set.
 */
export function browserSuite(name: string, suite: (open: OpenInspector) => void): void {
  const path = findChromium();
  if (path === null) announceNoChromium();
  describe.skipIf(path === null)(path === null ? `${name} (left out: no Chromium here)` : name, () => {
    let browser: Browser;
    beforeAll(async () => {
      const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
      browser = await chromium.launch({ executablePath: path ?? '', args, timeout: BOUND_MS });
    });
    afterAll(() => browser.close());
    suite((url, reader = {}) => openInspector(browser, url, reader));
  });
}

function announceNoChromium(): void {
  const message = 'No Chromium: put chromium-headless-shell on the PATH, and the suites of the inspector run too.';
  if (process.env.REQUIRE_CHROMIUM) throw new Error(message);
  process.stderr.write(`\n${message}\n\n`);
}

async function openInspector(
  browser: Browser,
  url: string,
  { dark = false, width = 1280 }: Reader,
): Promise<Inspector> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: dark ? 'dark' : 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(BOUND_MS);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => problems.push(`${message.text()} ${message.location().url}`.trim()));
  // The console names the status of a failed request only. The answer has the reason.
  page.on('response', async (response) => {
    if (response.status() < 500) return;
    const reason = await response.text().catch(() => 'no body');
    problems.push(`${response.status()} ${response.url()}: ${reason}`);
  });
  page.on('dialog', async (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  await page.goto(url);
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable'];
const APPS = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

/** Returns the Chromium of this machine: on the PATH, as an app, or installed by Playwright. Null without Chromium. */
function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...APPS, chromium.executablePath()].find((path) => path && existsSync(path)) ?? null;
}
