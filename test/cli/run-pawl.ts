import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { surroundings } from '#test/harness/parts/start-program.ts';

const MAIN = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url));

/** The test presses Ctrl-C at the text `interruptAt`. `onOutput` gets all output so far. */
type Options = { interruptAt?: string; apiKey?: string; onOutput?: (seen: string) => void };

/** Runs `pawl` as a process to its end. */
export async function runPawl(url: string, args: string[], { interruptAt, apiKey = '', onOutput }: Options = {}) {
  const pawl = spawn(process.execPath, [MAIN, ...args], {
    env: { ...surroundings(), PAWL_URL: url, PAWL_API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(pawl, 'close');
  let seen = '';
  pawl.stdout.on('data', (chunk) => {
    seen += chunk;
    onOutput?.(seen);
    if (interruptAt && seen.includes(interruptAt)) pawl.kill('SIGINT');
  });
  const [output, complaints] = await Promise.all([text(pawl.stdout), text(pawl.stderr)]);
  const [exitCode] = await ended;
  return { output, complaints, exitCode };
}
