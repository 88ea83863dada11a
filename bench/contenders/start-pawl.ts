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
type Wish = { mode: Mode; parts?: Part[]; env?: Record<string, string>; nodeOptions?: string[] };

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
  const start = async (part: Part) => {
    const file = `services/${part}/main.ts`;
    const nodeOptions = [...ground.profiling(`pawl-${part}-${mode}`), ...more];
    return {
      part,
      ...(await startProgram({ file, nodeOptions, env: settings, ready: READY[part], folder: ground.folder })),
    };
  };
  const programs = await Promise.all(parts.map(start));
  const pawl: Pawl = {
    url: programs.find(({ part }) => part === 'api')?.said ?? '',
    pids: Object.fromEntries(programs.map(({ part, pid }) => [part, pid])),
    stop: async (part) => programs.find((program) => program.part === part)?.stop(),
    close: async () => void (await Promise.all(programs.map((program) => program.stop()))),
  };
  return pawl;
}
