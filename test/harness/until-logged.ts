import { waitUntil } from './wait-until.ts';

type Line = Record<string, unknown>;

/** Returns the log lines of an event of a process that also have these `fields`. */
export function linesOf({ lines }: { lines: Line[] }, event: string, fields: Line = {}): Line[] {
  const wanted = Object.entries({ event, ...fields });
  return lines.filter((line) => wanted.every(([name, value]) => line[name] === value));
}

/** Waits until a process has logged an event. Only the timeout of its test bounds the wait. */
export function untilLogged(process: { lines: Line[] }, event: string, fields: Line = {}): Promise<Line> {
  const find = () => {
    const [line] = linesOf(process, event, fields);
    if (!line) throw new Error(`the log has no ${event} yet`);
    return line;
  };
  return waitUntil(find);
}
