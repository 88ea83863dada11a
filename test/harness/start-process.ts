import { startPart } from './parts/start-part.ts';

type Line = Record<string, unknown> & { msg: string };

/** A part of Pawl as a real process, with its log lines so far. */
export type TestProcess = AsyncDisposable & {
  pid: number;
  lines: Line[];
  /** Waits for a log line. A line from before counts. */
  logged(pattern: RegExp): Promise<Line>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
};

/**
 * Starts a part and waits until it is ready. It is killed at the end of the test. `root` is another checkout of the
 * repository, to run another version.
 */
export async function startProcess(
  part: 'api' | 'worker',
  env: Record<string, string>,
  { root }: { root?: string | undefined } = {},
): Promise<TestProcess> {
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const onLine = (text: string) => {
    const line = parseLine(text);
    if (!line) return void process.stderr.write(`${part}: ${text}\n`);
    lines.push(line);
    for (const check of waiting) check();
  };
  const options = { env: { ...env, PAWL_LOG_LEVEL: 'info' }, output: { onLine }, ...(root && { root }) };
  const { pid, kill } = await startPart(part, options);

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

/** Parses a log line. Any other line is an error of Node, which the reader of a failed test must see. */
function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
