import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Asset = { path: string; status: number; headers: Headers; body: string };

async function readAsset(url: string, path: string): Promise<Asset> {
  const response = await fetch(url + path);
  return { path, status: response.status, headers: response.headers, body: await response.text() };
}

/** The page, every asset it requests, and those they request in turn. */
async function readAssets(url: string): Promise<Asset[]> {
  const found: Asset[] = [];
  const wanted = ['/'];
  for (const path of wanted) {
    const asset = await readAsset(url, path);
    found.push(asset);
    const inPage = [...asset.body.matchAll(/(?:href|src)="(inspector\/[^"]+)"/g)].map(([, name]) => `/${name}`);
    const inScript = [...asset.body.matchAll(/from '(\.[^']+\.js)';/g)].map(
      ([, name]) => new URL(name!, url + path).pathname,
    );
    wanted.push(...new Set([...inPage, ...inScript].filter((other) => !wanted.includes(other))));
  }
  return found;
}

test('all that the page requests is there, guarded against scripts and frames of other sites', async () => {
  await using harness = await createHarness();

  const assets = await readAssets(harness.url);

  expect(assets.length).toBeGreaterThan(20);
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

test('no asset holds an inline script or style, or names another host', async () => {
  await using harness = await createHarness();

  const assets = await readAssets(harness.url);
  const texts = assets.map(({ path, body }) => ({ path, text: withoutNames(body) }));

  for (const { path, text } of texts) {
    expect.soft(text, path).not.toMatch(/https?:\/\/|innerHTML|outerHTML|insertAdjacentHTML|\sstyle="|\son\w+="/);
  }
});

test('the Markdown asset is the file of the package, and imports nothing', async () => {
  await using harness = await createHarness();

  const { body } = await readAsset(harness.url, '/inspector/content/markdown-it.js');

  expect(body).toContain('/*! markdown-it');
  expect(body).toMatch(/export \{ \w+ as default \}/);
  expect(body).not.toMatch(/^import /m);
});

/** Leaves out the names that are no address to load from: of SVG, of a package in its license, of a scheme before a host. */
function withoutNames(body: string): string {
  return body
    .replaceAll('http://www.w3.org/2000/svg', '')
    .replace(/^\/\*!.*\*\/$/m, '')
    .replaceAll('`http://${', '');
}

test('an asset that is as it was is not sent again', async () => {
  await using harness = await createHarness();
  const { headers } = await fetch(`${harness.url}/`);

  const again = await fetch(`${harness.url}/`, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  const other = await fetch(`${harness.url}/`, { headers: { 'if-none-match': '"another"' } });

  expect([again.status, await again.text()]).toEqual([304, '']);
  expect(other.status).toBe(200);
});

test.each([
  'nothing.js',
  'tsconfig.json',
  'list/nothing.js',
  '..%2fapp.ts',
  '%2e%2e%2f%2e%2e%2fpackage.json',
  '__proto__',
])('%s is no asset, whatever it points at', async (name) => {
  await using harness = await createHarness();

  const { status, body } = await readAsset(harness.url, `/inspector/${name}`);

  expect(status).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ error: { code: 'route_not_found' } });
});

test('the page is open where keys are configured, and what it shows is not', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-of-alpha' } });

  const answers = await Promise.all(
    ['/', '/inspector/main.js', '/v1/turns'].map((path) => readAsset(harness.url, path)),
  );

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401]);
});
