import { readdir, readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second for everybody who asks. */
const MS_PER_TICK = 10;

/** CPU milliseconds that processes have used so far, with their nameless children; none where there is no /proc. */
export async function readCpu(pids: Record<string, number>): Promise<Record<string, number>> {
  const stats = await readStats();
  const named = new Set(Object.values(pids));
  const nameless = stats.filter(({ pid }) => !named.has(pid));
  const used = Object.entries(pids).map(([name, pid]) => [name, usedBy(pid, { stats, nameless })] as const);
  return Object.fromEntries(used.filter(([, ms]) => ms > 0));
}

type Stat = { pid: number; parent: number; ownTicks: number; endedChildrenTicks: number };

/** A server's own time, that of its children who live, and that of those who have ended. */
function usedBy(pid: number, { stats, nameless }: { stats: Stat[]; nameless: Stat[] }): number {
  const own = stats.filter((stat) => stat.pid === pid);
  const children = nameless.filter((stat) => stat.parent === pid);
  const ended = own.reduce((sum, { endedChildrenTicks }) => sum + endedChildrenTicks, 0);
  return [...own, ...children].reduce((sum, { ownTicks }) => sum + ownTicks, ended) * MS_PER_TICK;
}

async function readStats(): Promise<Stat[]> {
  const folders = await readdir('/proc').catch(() => []);
  const pids = folders.filter((folder) => /^\d+$/.test(folder));
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return texts.filter((text) => text !== '').map(parseStat);
}

/** The second field is a name in parentheses that may hold anything; all others are parted by blanks. */
function parseStat(text: string): Stat {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
  const pid = Number.parseInt(text, 10);
  return { pid, parent, ownTicks: user + system, endedChildrenTicks: childrenUser + childrenSystem };
}
