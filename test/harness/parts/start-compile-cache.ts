import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../../', import.meta.url);
const FOLDER = fileURLToPath(new URL('node_modules/.cache/pawl-tests', ROOT));

/** The modules that the parts load, without the files that start them. */
const LOADED = [
  'packages/embedded-postgres/keep-postgres.ts',
  'services/api/start-api.ts',
  'services/migrate/migrate-all.ts',
  'services/worker/worker.ts',
];

/**
 * Starts the compile cache that test processes share. Without it, loading modules is most of the time of a short
 * process. Node compares the text of a file before it uses the cached code.
 */
export default function startCompileCache(): () => Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= FOLDER;
  if (existsSync(process.env.NODE_COMPILE_CACHE)) return async () => {};
  const filled = fillCache();
  return () => filled;
}

/** Fills the cache. Node writes it only when a process ends normally, and tests kill their processes. */
async function fillCache(): Promise<void> {
  const script = `for (const file of ${JSON.stringify(LOADED)}) await import('${ROOT}' + file); process.exit();`;
  await once(spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' }), 'close');
}
