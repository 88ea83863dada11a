import { readdir, readFile } from 'node:fs/promises';

/** Linux counts the time of children that have ended in hundredths of a second. */
const MS_PER_TICK = 10;
const NS_PER_MS = 1_000_000;

/**
 * Returns the CPU milliseconds that processes have used so far, with their nameless children. It is empty without
 * /proc.
 */
export async function readCpu(pids: Record<string, number>): Promise<Record<string, number>> {
  const stats = await readStats();
  const named = new Set(Object.values(pids));
  const entries = Object.entries(pids).map(async ([name, pid]) => {
    const ofItself = stats.filter((stat) => stat.pid === pid);
    const children = stats.filter((stat) => stat.parent === pid && !named.has(stat.pid));
    const running = await Promise.all([...ofItself, ...children].map((stat) => readRunMs(stat.pid)));
    const ended = ofItself.map(({ endedChildrenTicks }) => endedChildrenTicks * MS_PER_TICK);
    return [name, [...running, ...ended].reduce((sum, ms) => sum + ms, 0)] as const;
  });
  return Object.fromEntries((await Promise.all(entries)).filter(([, ms]) => ms > 0));
}

export function sumCpu(cpu: Record<string, number>): number {
  return Object.values(cpu).reduce((sum, ms) => sum + ms, 0);
}

/** Reads the time of all threads of a process, to the nanosecond: hundredths of a second would lose many short runs. */
async function readRunMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '')),
  );
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0] ?? 0), 0) / NS_PER_MS;
}

type Stat = { pid: number; parent: number; endedChildrenTicks: number };

async function readStats(): Promise<Stat[]> {
  const folders = await readdir('/proc').catch(() => []);
  const pids = folders.filter((folder) => /^\d+$/.test(folder));
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return texts.filter((text) => text !== '').map(parseStat);
}

/** Parses a stat line. The second field is a name in parentheses with any characters. Blanks separate all others. */
function parseStat(text: string): Stat {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [childrenUser = 0, childrenSystem = 0] = fields.slice(13, 15);
  return { pid: Number.parseInt(text, 10), parent, endedChildrenTicks: childrenUser + childrenSystem };
}

/** Returns the megabytes of memory of a process now and at its peak, or NaN without /proc. */
export async function readMemory(pid: number): Promise<{ nowMb: number; peakMb: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { nowMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
}
