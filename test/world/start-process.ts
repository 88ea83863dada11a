import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

type Line = Record<string, unknown> & { msg: string };

/** A part of Pawl as a real process, with the log lines it has written so far. */
export type TestProcess = AsyncDisposable & {
  pid: number;
  lines: Line[];
  /** Waits for a log line, also one that was written before. */
  said(pattern: RegExp): Promise<Line>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
};

/** Starts `services/<part>/main.ts` and waits until it says that it is ready. It is killed at the end of the test. */
export async function startProcess(part: 'api' | 'worker', env: Record<string, string>): Promise<TestProcess> {
  const main = fileURLToPath(new URL(`../../services/${part}/main.ts`, import.meta.url));
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [main], {
    env: { PATH, HOME, ...env, PAWL_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: Line[] = [];
  const waiting = new Set<(line: Line) => void>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line: Line = JSON.parse(text);
    lines.push(line);
    for (const hear of waiting) hear(line);
  });

  const running: TestProcess = {
    pid: child.pid ?? 0,
    lines,
    said: (pattern) => {
      const before = lines.find((line) => pattern.test(line.msg));
      if (before) return Promise.resolve(before);
      const { promise, resolve } = Promise.withResolvers<Line>();
      const hear = (line: Line) => {
        if (!pattern.test(line.msg)) return;
        waiting.delete(hear);
        resolve(line);
      };
      waiting.add(hear);
      return promise;
    },
    kill: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = await once(child, 'exit');
      return code;
    },
    [Symbol.asyncDispose]: async () => void (await running.kill('SIGKILL')),
  };
  await running.said(/ready|listens/);
  return running;
}
