import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPart } from '#test/harness/parts/start-part.ts';
import type { ContenderSetup } from '../contender.ts';
import type { Mode } from '../mode.ts';

/** The processes of Pawl that were started, by name, and where its API listens. */
export type Pawl = {
  url: string;
  pids: Record<string, number>;
  stop(part: Part): Promise<void>;
  close(): Promise<void>;
};

type Part = 'api' | 'worker';
/** Which processes run, a part as often as it is named, with what settings, and of which tree if not of this one. */
export type Deployment = { parts?: Part[]; env?: Record<string, string>; root?: string };
type PawlOptions = Deployment & { mode: Mode; nodeOptions?: string[] };

const TOOLS = fileURLToPath(new URL('../tools.ts', import.meta.url));

/** Starts Pawl as it is deployed: an API and a worker, each a process, their logs at the default level into files. */
export async function startPawl(
  { harness, databaseUrl }: Pick<ContenderSetup, 'harness' | 'databaseUrl'>,
  options: PawlOptions,
) {
  const { mode, parts = ['api', 'worker'], env = {}, root, nodeOptions: more = [] } = options;
  const database = new URL(databaseUrl).pathname.slice(1);
  const settings = {
    DATABASE_URL: databaseUrl,
    ...(mode === 'redis' && harness.redis ? { REDIS_URL: harness.redis.url } : {}),
    OPENAI_API_KEY: 'sk-bench',
    OPENAI_BASE_URL: harness.modelUrl,
    PAWL_TOOLS: TOOLS,
    PORT: '0',
    ...env,
  };
  const start = async (part: Part, index: number) => {
    const nodeOptions = [...harness.profiling(`pawl-${part}-${mode}`), ...more];
    const before = parts.slice(0, index).filter((other) => other === part).length;
    const name = before === 0 ? part : `${part}-${before + 1}`;
    const output = { file: join(harness.folder, `${database}-${name}.log`) };
    return {
      part,
      name,
      ...(await startPart(part, { nodeOptions, env: settings, output, ...(root ? { root } : {}) })),
    };
  };
  const programs = await Promise.all(parts.map(start));
  const pawl: Pawl = {
    url: programs.find(({ part }) => part === 'api')?.address ?? '',
    pids: Object.fromEntries(programs.map(({ name, pid }) => [name, pid])),
    stop: async (part) => programs.find((program) => program.part === part)?.stop(),
    close: async () => void (await Promise.all(programs.map((program) => program.stop()))),
  };
  return pawl;
}
