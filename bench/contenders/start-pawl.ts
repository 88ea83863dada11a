import { fileURLToPath } from 'node:url';
import type { Mode, Site } from '../contender.ts';
import { startProgram } from '../ground/start-program.ts';

/** The processes of Pawl that were started, by name, and where its API listens. */
export type Pawl = {
  url: string;
  pids: Record<string, number>;
  stop(part: Part): Promise<void>;
  close(): Promise<void>;
};

type Part = 'api' | 'worker';
/** Which processes run, a part as often as it is named, and with what settings. */
export type Deployment = { parts?: Part[]; env?: Record<string, string> };
type Wish = Deployment & { mode: Mode; nodeOptions?: string[] };

const TOOLS = fileURLToPath(new URL('../tools.ts', import.meta.url));

const READY: Record<Part, RegExp> = { api: /"api listens on ([^"]+)"/, worker: /worker ready/ };

/** Starts Pawl as it is deployed: an API and a worker, each a process, their logs at the default level into files. */
export async function startPawl({ ground, databaseUrl }: Pick<Site, 'ground' | 'databaseUrl'>, wish: Wish) {
  const { mode, parts = ['api', 'worker'], env = {}, nodeOptions: more = [] } = wish;
  const settings = {
    DATABASE_URL: databaseUrl,
    ...(mode === 'redis' && ground.redis ? { REDIS_URL: ground.redis.url } : {}),
    OPENAI_API_KEY: 'sk-bench',
    OPENAI_BASE_URL: ground.modelUrl,
    PAWL_TOOLS: TOOLS,
    PORT: '0',
    ...env,
  };
  const start = async (part: Part, place: number) => {
    const file = `services/${part}/main.ts`;
    const nodeOptions = [...ground.profiling(`pawl-${part}-${mode}`), ...more];
    const before = parts.slice(0, place).filter((other) => other === part).length;
    const name = before === 0 ? part : `${part}-${before + 1}`;
    const wish = { file, name, nodeOptions, env: settings, ready: READY[part], folder: ground.folder };
    return { part, name, ...(await startProgram(wish)) };
  };
  const programs = await Promise.all(parts.map(start));
  const pawl: Pawl = {
    url: programs.find(({ part }) => part === 'api')?.said ?? '',
    pids: Object.fromEntries(programs.map(({ name, pid }) => [name, pid])),
    stop: async (part) => programs.find((program) => program.part === part)?.stop(),
    close: async () => void (await Promise.all(programs.map((program) => program.stop()))),
  };
  return pawl;
}
