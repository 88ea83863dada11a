import { startPart } from './parts/start-part.ts';

type Line = Record<string, unknown> & { msg: string };

/** A part of Pawl as a real process, with the log lines it has written so far. */
export type TestProcess = AsyncDisposable & {
  pid: number;
  lines: Line[];
  /** Waits for a log line, also one that was written before. */
  logged(pattern: RegExp): Promise<Line>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
};

/** Starts a part and waits until it is ready. It is killed at the end of the test. */
export async function startProcess(part: 'api' | 'worker', env: Record<string, string>): Promise<TestProcess> {
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const onLine = (text: string) => {
    const line = parseLine(text);
    if (!line) return void process.stderr.write(`${part}: ${text}\n`);
    lines.push(line);
    for (const check of waiting) check();
  };
  const { pid, kill } = await startPart(part, { env: { ...env, PAWL_LOG_LEVEL: 'info' }, output: { onLine } });

  const logged = (pattern: RegExp) =>
    new Promise<Line>((resolve) => {
      const check = () => {
        const line = lines.find(({ msg }) => pattern.test(msg));
        if (line && waiting.delete(check)) resolve(line);
      };
      waiting.add(check);
      check();
    });
  return { pid, lines, logged, kill, [Symbol.asyncDispose]: async () => void (await kill('SIGKILL')) };
}

/** What is not a log line is an error of Node, which the reader of a failed test has to see. */
function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
