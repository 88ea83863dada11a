import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../../', import.meta.url);
const FOLDER = fileURLToPath(new URL('node_modules/.cache/pawl-tests', ROOT));

/** What the parts load, without the files that start them. */
const LOADED = [
  'packages/embedded-postgres/keep-postgres.ts',
  'services/api/start-api.ts',
  'services/migrate/migrate-all.ts',
  'services/worker/worker.ts',
];

/**
 * The processes that tests start share what Node has compiled: without, to load its modules is most of what a short
 * process costs. Node looks at the text of a file before it takes what was compiled of it.
 */
export default function startCompileCache(): () => Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= FOLDER;
  if (existsSync(process.env.NODE_COMPILE_CACHE)) return async () => {};
  const filled = fillCache();
  return () => filled;
}

/** Node writes its cache when a process ends by itself, which those that tests kill never do. */
async function fillCache(): Promise<void> {
  const script = `for (const file of ${JSON.stringify(LOADED)}) await import('${ROOT}' + file); process.exit();`;
  await once(spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' }), 'close');
}
