import { PassThrough } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { runCli } from '#cli/run-cli.ts';

/** Runs a command as if at a terminal, and types an answer at each question. */
export async function atTerminal(url: string, args: string[], answers: (string | null)[] = [], columns?: number) {
  const typed = [...answers];
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stdout = Object.assign(new PassThrough(), columns ? { isTTY: true, columns } : {});
  const stderr = new PassThrough();
  let output = '';
  stdout.on('data', async (chunk) => {
    output += chunk;
    if (!String(chunk).includes('[y/n]')) return;
    await nextTick();
    const answer = typed.shift() ?? null;
    if (answer === null) stdin.end();
    else stdin.write(`${answer}\n`);
  });
  const { signal } = new AbortController();
  const exitCode = await runCli(args, { env: { PAWL_URL: url }, stdin, stdout, stderr, signal });
  return { output, complaints: String(stderr.read() ?? ''), exitCode };
}
