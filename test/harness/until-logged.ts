import { waitUntil } from './wait-until.ts';

type Line = Record<string, unknown>;

/** The lines of an event in the log of a process; `fields` are those that they have besides. */
export function linesOf({ lines }: { lines: Line[] }, event: string, fields: Line = {}): Line[] {
  const wanted = Object.entries({ event, ...fields });
  return lines.filter((line) => wanted.every(([name, value]) => line[name] === value));
}

/** Waits until a process has logged an event. Only its test's own timeout bounds it. */
export function untilLogged(process: { lines: Line[] }, event: string, fields: Line = {}): Promise<Line> {
  const find = () => {
    const [line] = linesOf(process, event, fields);
    if (!line) throw new Error(`no ${event} is logged yet`);
    return line;
  };
  return waitUntil(find);
}
