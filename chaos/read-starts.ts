import { readFile } from 'node:fs/promises';
import type { StepStart } from './history.ts';
import type { Part } from './site/open-part.ts';

type Line = { time?: number; msg?: string; turn_id?: string; shiftMs?: number };

/** Which worker began a step of which turn, and when, as the logs of all its processes tell. */
export async function readStarts(workers: Part[]): Promise<StepStart[]> {
  const files = workers.flatMap(({ name, logFiles }) => logFiles().map((file) => ({ name, file })));
  const starts = await Promise.all(
    files.map(async ({ name, file }) =>
      startsIn(await readFile(file, 'utf8')).map((start) => ({ ...start, worker: name })),
    ),
  );
  return starts.flat().sort((one, other) => one.at - other.at);
}

/** Lines that were written while the clock was shifted are put right. */
function startsIn(log: string): Omit<StepStart, 'worker'>[] {
  let shiftMs = 0;
  return log.split('\n').flatMap((text) => {
    const line = parse(text);
    if (line?.shiftMs !== undefined) shiftMs = line.shiftMs;
    if (!line?.turn_id || !line.time || !isStart(line.msg)) return [];
    return [{ at: line.time - shiftMs, turnId: line.turn_id }];
  });
}

function isStart(message = ''): boolean {
  return /^round \d+ starting$/.test(message) || message.startsWith('tool calls started');
}

/** A process that was killed may have left half a line. */
function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
