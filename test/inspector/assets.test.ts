import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { pageRoutes } from '#services/api/pages/pages.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { browserSuite } from './browser-suite.ts';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const INSPECTOR = join(import.meta.dirname, '../../packages/inspector');

const PAGES = ['/', '/docs'];

type Asset = { path: string; status: number; headers: Headers; body: string };

async function readAsset(url: string, path: string): Promise<Asset> {
  const response = await fetch(url + path);
  return { path, status: response.status, headers: response.headers, body: await response.text() };
}

/** Reads both pages, each asset that they request, and the scripts that these import. */
async function readAssets(url: string): Promise<Asset[]> {
  const found: Asset[] = [];
  const wanted = [...PAGES];
  for (const path of wanted) {
    const asset = await readAsset(url, path);
    found.push(asset);
    const inPage = [...asset.body.matchAll(/(?:href|src)="(inspector\/[^"]+)"/g)].map(([, name]) => `/${name}`);
    const inScript = path.endsWith('.js')
      ? [...asset.body.matchAll(/(?:from|import)\s*"(\.[^"]+\.js)"/g)].map(
          ([, name]) => new URL(name!, url + path).pathname,
        )
      : [];
    wanted.push(...new Set([...inPage, ...inScript].filter((other) => !wanted.includes(other))));
  }
  return found;
}

test('each asset needs no key, and is protected against scripts and frames of others', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-of-alpha' } });

  const assets = await readAssets(harness.url);

  expect(assets.map(({ path }) => path)).toEqual(
    expect.arrayContaining([...PAGES, '/inspector/inspector.js', '/inspector/docs.js', '/inspector/pages.css']),
  );
  expect(assets.filter(({ path }) => path.endsWith('.js')).length).toBeGreaterThan(2);
  for (const { path, status, headers } of assets) {
    expect.soft(status, path).toBe(200);
    expect.soft(headers.get('content-security-policy'), path).toBe(CSP);
    expect.soft(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect.soft(headers.get('referrer-policy'), path).toBe('no-referrer');
    expect.soft(headers.get('cache-control'), path).toBe('no-cache');
  }
  expect(new Set(assets.map(({ headers }) => headers.get('content-type')))).toEqual(
    new Set(['text/html; charset=utf-8', 'text/css; charset=utf-8', 'text/javascript; charset=utf-8', 'image/svg+xml']),
  );
});

test('no page has an inline script or style, and no style loads a file', async ({ harness }) => {
  const assets = await readAssets(harness.url);
  const pages = assets.filter(({ path }) => PAGES.includes(path));
  const styles = assets.filter(({ path }) => path.endsWith('.css'));

  expect([pages.length, styles.length]).toEqual([2, 1]);
  for (const { path, body } of pages) {
    expect.soft(body, path).not.toMatch(/https?:|<style|\sstyle=|\son\w+=/);
    expect.soft(body.match(/<script(?! type="module" src="inspector\/)/g), path).toBeNull();
  }
  for (const { path, body } of styles) expect.soft(body, path).not.toMatch(/url\(|@import/);
});

const MARKUP = /innerHTML|outerHTML|insertAdjacentHTML|document\.write/i;

test('no source of the pages writes markup from a text', async () => {
  const names = await readdir(INSPECTOR, { recursive: true });
  const sources = names.filter((name) => /\.tsx?$/.test(name) && !/^dist\b/.test(name));

  const texts = await Promise.all(sources.map((name) => readFile(join(INSPECTOR, name), 'utf8')));

  expect(sources).toContain('main.tsx');
  expect(texts.filter((text) => MARKUP.test(text))).toEqual([]);
});

test('no package of the pages writes markup, except by a property that no source sets', async ({ harness }) => {
  const scripts = (await readdir(join(INSPECTOR, 'dist'))).filter((name) => name.endsWith('.js'));

  const assets = await Promise.all(scripts.map((name) => readAsset(harness.url, `/inspector/${name}`)));
  const found = assets.flatMap(({ body }) => body.match(new RegExp(`\\w*(?:${MARKUP.source})(?:=(?!=))?`, 'gi')) ?? []);

  expect(assets.map(({ status }) => status)).toEqual(scripts.map(() => 200));
  expect(found.sort()).toEqual([
    // Preact reads the property `dangerouslySetInnerHTML`. No source of the pages sets this property, see above.
    'dangerouslySetInnerHTML',
    'dangerouslySetInnerHTML',
    // highlight.js and Preact compare the markup of an element. highlight.js gets a text from the page, not an
    // element.
    'innerHTML',
    'innerHTML',
    // `highlightElement` of highlight.js writes its output, and Preact the property above. The page calls neither.
    'innerHTML=',
    'innerHTML=',
  ]);
});

browserSuite('the pages in a browser', (open) => {
  test('an address that changes while the page loads is followed', async ({ harness }) => {
    await using inspector = await open('about:blank');
    const { page, problems } = inspector;
    // Without frames the browser paints late, so effects after the first paint are late, too.
    await page.addInitScript({
      content: `window.requestAnimationFrame = () => 0;
        document.addEventListener('DOMContentLoaded', () => location.assign('#/workers'));`,
    });

    await page.goto(harness.url);
    await page.getByRole('heading', { name: 'Workers' }).waitFor();

    expect(problems).toEqual([]);
  });

  test('both pages request files of this server only', async ({ harness }) => {
    await using inspector = await open(`${harness.url}/healthz`);
    const { page, problems } = inspector;
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));

    for (const path of PAGES) {
      await page.goto(harness.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }

    expect([...hosts]).toEqual([harness.url]);
    expect(problems).toEqual([]);
  });
});

test.each(PAGES)('the page at %s says how to build it if it is not built', async (path) => {
  const routes = pageRoutes(join(import.meta.dirname, 'no-such-folder'));

  const response = await routes.request(path);

  expect(response.status).toBe(200);
  expect(response.headers.get('content-security-policy')).toBe(CSP);
  expect(await response.text()).toContain(
    'This page is not built yet. Run <code>npm run build</code>, then start Pawl again.',
  );
});

test('an unchanged asset is not sent again', async ({ harness }) => {
  const { headers } = await fetch(`${harness.url}/`);

  const again = await fetch(`${harness.url}/`, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  const other = await fetch(`${harness.url}/`, { headers: { 'if-none-match': '"another"' } });

  expect([again.status, await again.text()]).toEqual([304, '']);
  expect(other.status).toBe(200);
});

test.for([
  'nothing.js',
  'tsconfig.json',
  'list/nothing.js',
  '..%2fapp.ts',
  '%2e%2e%2f%2e%2e%2fpackage.json',
  '__proto__',
])('%s is not served as an asset', async (name, { harness }) => {
  const { status, body } = await readAsset(harness.url, `/inspector/${name}`);

  expect(status).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ error: { code: 'route_not_found' } });
});

test('the page is open if keys are configured, and its data is not', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-of-alpha' } });

  const answers = await Promise.all(
    ['/', '/inspector/inspector.js', '/v1/turns'].map((path) => readAsset(harness.url, path)),
  );

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401]);
});
