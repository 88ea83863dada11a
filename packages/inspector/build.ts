import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const SOURCE = import.meta.dirname;
const CLIENT = join(SOURCE, '../client');
const OUTPUT = join(SOURCE, 'dist');

/**
 * Builds the page and the API reference if a source is newer than the output. Returns false if `rolldown` is missing:
 * a production install omits it and keeps the existing output.
 */
export async function buildPages(): Promise<boolean> {
  const sources = listSources();
  const newestMs = Math.max(...sources.map((path) => statSync(path).mtimeMs));
  if (existsSync(join(OUTPUT, 'index.html')) && newestMs <= statSync(join(OUTPUT, 'index.html')).mtimeMs) return true;
  const bundler = await import('rolldown').catch(() => null);
  if (bundler === null) return false;
  await bundler.build({
    input: { inspector: join(SOURCE, 'main.tsx'), docs: join(SOURCE, 'docs/main.tsx') },
    platform: 'browser',
    resolve: { alias: { [join(CLIENT, 'web-crypto.ts')]: join(CLIENT, 'browser/web-crypto.ts') } },
    output: {
      dir: OUTPUT,
      cleanDir: true,
      minify: true,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    },
  });
  const styles = sources.filter((path) => extname(path) === '.css').map((path) => readFileSync(path, 'utf8'));
  writeFileSync(join(OUTPUT, 'pages.css'), styles.join('\n'));
  for (const name of ['icon.svg', 'docs.html', 'index.html']) cpSync(join(SOURCE, name), join(OUTPUT, name));
  return true;
}

/** Returns the sources of both pages and of the client. Shared styles are first, so that the styles of a room win. */
function listSources(): string[] {
  return [SOURCE, CLIENT].flatMap((folder) =>
    readdirSync(folder, { encoding: 'utf8', recursive: true })
      .filter((name) => /\.(?:tsx?|css|html|svg)$/.test(name) && !/^(?:dist\b|generated\.ts$)/.test(name))
      .sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1))
      .map((name) => join(folder, name)),
  );
}

function rankOf(name: string): number {
  return name.startsWith('styles') ? 0 : 1;
}
