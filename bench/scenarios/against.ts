import { execFile } from 'node:child_process';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { surroundings } from '#test/harness/parts/start-program.ts';
import type { Contender, Mode } from '../contender.ts';
import { pawl } from '../contenders/pawl.ts';
import { warmUp } from '../measure.ts';
import { type Cost, measureAlternately } from '../measure-alternately.ts';
import type { BenchHarness } from '../open-harness.ts';
import { percentile } from '../percentile.ts';
import { readCpu } from '../read-cpu.ts';
import { findCommit, type Options } from '../read-options.ts';
import { atMost } from '../report/goal.ts';
import { printTable } from '../report/print-table.ts';

/** The most CPU that a turn may take here for a millisecond at the other revision. */
const MOST_RATIO = 1.15;
/** The factor of groups in the second measurement, which decides if the first measurement is over the bound. */
const SECOND_GROUPS = 3;
const MOST_LOAD = 4;

/** The processes that count. The driver and the simulated model are this tree's own for both sides. */
const COUNTED: Record<Mode, string[]> = {
  redis: ['api', 'worker', 'postgres', 'redis'],
  postgres: ['api', 'worker', 'postgres'],
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** Returns why a comparison is not possible here, or null if it is. */
export async function reasonToLeaveOut(): Promise<string | null> {
  const [load = 0] = loadavg();
  if (load > MOST_LOAD) return `the load average is ${load.toFixed(1)}, above the maximum of ${MOST_LOAD}`;
  const { driver } = await readCpu({ driver: process.pid });
  return driver ? null : 'this system has no /proc/<pid>/task/<thread>/schedstat to read the CPU of a process from';
}

/** Compares the CPU of a turn in this tree and at another revision, each with its own processes and database. */
export async function against(harness: BenchHarness, options: Options) {
  const other = await checkOut(options.against ?? '', harness);
  const texts: string[] = [];
  const goals = [];
  for (const mode of options.modes) {
    const { costs, groups } = await compare({ mode, other }, harness, options);
    texts.push(`on ${mode}, ${groups} groups of ${options.turns} turns:\n${describe(costs, COUNTED[mode])}`);
    goals.push(
      atMost(`on ${mode}: CPU of a turn ÷ at ${options.against}`, MOST_RATIO, medianRatio(costs, COUNTED[mode])),
    );
  }
  return { text: texts.join('\n\n'), goals };
}

/** Fills a folder with a revision, the packages of this tree and the tools of the work. */
async function checkOut(revision: string, { folder }: BenchHarness): Promise<string> {
  const [tree, archive] = [join(folder, 'other'), join(folder, 'other.tar')];
  await mkdir(tree);
  // The tree is not a worktree: the harness removes its folder after any end of the run, without a trace in the
  // repository.
  await run('git', ['archive', '--output', archive, findCommit(revision)], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', tree]);
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  await copyFile(join(ROOT, TOOLS), join(tree, TOOLS));
  return tree;
}

/** The tools are beside the package that their imports name. */
const TOOLS = 'bench/tools.ts';

type Sides = { mode: Mode; other: string };

async function compare(sides: Sides, harness: BenchHarness, options: Options) {
  const { turns, concurrency, tries } = options;
  await using opened = new AsyncDisposableStack();
  await harness.redis?.clear();
  const contenders: Contender[] = [];
  for (const root of [ROOT, sides.other]) {
    const contender = await open(root, { harness, options, mode: sides.mode, number: contenders.length + 1 });
    opened.defer(contender.close);
    await warmUp(contender, { turns, concurrency });
    contenders.push(contender);
  }
  const measure = async (groups: number) => {
    const costs = await measureAlternately(contenders, harness, { turns, concurrency, groups });
    return { costs, groups };
  };
  const first = await measure(tries);
  if (medianRatio(first.costs, COUNTED[sides.mode]) <= MOST_RATIO) return first;
  // The function awaits here: a returned promise would be awaited after the contenders have been closed.
  return await measure(SECOND_GROUPS * tries);
}

type Side = { harness: BenchHarness; options: Options; mode: Mode; number: number };

/** Opens the processes of a tree on a database that the same tree has migrated. */
async function open(root: string, { harness, options, mode, number }: Side): Promise<Contender> {
  const databaseUrl = await harness.postgres.emptyDatabase(`bench_${mode}_${number}`);
  const migrate = join(root, 'services/migrate/main.ts');
  await run(process.execPath, [migrate], { cwd: root, env: { ...surroundings(), DATABASE_URL: databaseUrl } });
  const redis = harness.redis && Object.assign(new URL(harness.redis.url), { pathname: `/${number}` });
  const env = { PAWL_TOOLS: join(root, TOOLS), ...(mode === 'redis' && redis ? { REDIS_URL: redis.href } : {}) };
  return pawl({ harness, databaseUrl, work: { rounds: options.rounds, thinkMs: 0 }, mode }, { root, env });
}

function describe(costs: Cost[][], counted: string[]): string {
  const rows = [...counted.map((name) => [name]), counted].map((names) => {
    const [ours = [], theirs = []] = costs.map((side) => side.map((cost) => sum(cost, names)));
    const figures = [median(ours), median(theirs), medianRatio(costs, names)].map((figure) => figure.toFixed(2));
    return [names.length > 1 ? 'together' : (names[0] ?? ''), ...figures];
  });
  return printTable(['CPU ms of a turn', 'here', 'there', 'median ratio'], rows);
}

/** Returns the median over the groups of the CPU here divided by the CPU there. */
function medianRatio([ours = [], theirs = []]: Cost[][], names: string[]): number {
  return median(ours.map((cost, group) => sum(cost, names) / sum(theirs[group] ?? {}, names)));
}

function sum(cost: Cost, names: string[]): number {
  return names.reduce((total, name) => total + (cost[name] ?? 0), 0);
}

function median(values: number[]): number {
  return percentile(values, 0.5);
}
