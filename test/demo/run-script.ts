import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = join(import.meta.dirname, '../..');

export async function runScript(args: string[], env: Record<string, string> = {}) {
  const script = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
  const ended = once(script, 'close');
  const [output, complaints] = await Promise.all([text(script.stdout), text(script.stderr)]);
  const [exitCode] = await ended;
  return { output, complaints, exitCode };
}
