import { z } from 'zod';
import { Failure } from '#core/failure.ts';
import { type Service, startPart } from '#test/harness/parts/start-part.ts';
import type { DemoRun } from './run-to-end.ts';

const LogLine = z.object({
  event: z.string().optional(),
  turn_id: z.string().optional(),
  round: z.int().optional(),
  attempt: z.int().optional(),
});

/** A line of a part's log, as far as the demo reads it. */
export type LogLine = z.output<typeof LogLine>;

/** A ready process of Pawl. `url` is empty for a worker. `kill` resolves when the process has ended. */
export type Part = { name: string; pid: number; url: string; kill(): Promise<void> };

const KEPT_LINES = 5;

type PartOptions = {
  name: string;
  service: Service;
  env: Record<string, string>;
  onLine?: (line: LogLine, partName: string) => void;
};

/** Starts a part of Pawl as a separate process, which ends with the run. If the part ends earlier, the run ends. */
export async function startDemoPart({ name, service, env, onLine }: PartOptions, run: DemoRun): Promise<Part> {
  const readLine = keepLastLines(name, run, (line) => onLine?.(line, name));
  const starting = startPart(service, { env, output: { onLine: readLine }, signal: run.signal });
  const program = await starting.catch((error: Error) => {
    throw new Failure('part_failed', `${name} could not be started. ${error.message}`);
  });

  let isWanted = false;
  // Always kill without a grace period: work without a checkpoint is deleted with the folder anyway.
  const kill = async () => {
    isWanted = true;
    await program.kill('SIGKILL');
  };
  run.atTheEnd(kill);
  void program.ended.then((end) => {
    if (isWanted || run.signal.aborted) return;
    run.giveUp(new Failure('part_failed', `${name} ended unexpectedly (${end}).`));
  });
  return { name, pid: program.pid, url: program.address, kill };
}

/** Reads a part's log, and keeps its last lines to explain a failure. */
function keepLastLines(name: string, run: DemoRun, onLine: (line: LogLine) => void): (text: string) => void {
  const lastLines: string[] = [];
  run.ifItFails(() => lastLines.map((line) => `${name}: ${line}`));
  return (text) => {
    if (lastLines.push(text) > KEPT_LINES) lastLines.shift();
    const line = parseLine(text);
    if (line) onLine(line);
  };
}

function parseLine(text: string): LogLine | undefined {
  try {
    return LogLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
