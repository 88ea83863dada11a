import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPart } from '#test/harness/parts/start-part.ts';
import type { Setup } from '../contender.ts';

/** The processes of Pawl that were started, by name, and the address of its API. */
export type Pawl = { url: string; pids: Record<string, number>; close(): Promise<void> };

type Part = 'api' | 'worker';
/** The processes to run, their settings, and their tree if it is not this tree. */
export type Deployment = { parts?: Part[]; env?: Record<string, string>; root?: string; nodeOptions?: string[] };

const TOOLS = fileURLToPath(new URL('../tools.ts', import.meta.url));

/**
 * Starts Pawl as it is deployed: an API and a worker as separate processes, with logs at the default level in files.
 */
export async function startPawl(
  { harness, databaseUrl, mode }: Pick<Setup, 'harness' | 'databaseUrl' | 'mode'>,
  { parts = ['api', 'worker'], env = {}, root, nodeOptions = [] }: Deployment,
): Promise<Pawl> {
  const database = new URL(databaseUrl).pathname.slice(1);
  const settings = {
    DATABASE_URL: databaseUrl,
    ...(mode === 'redis' && harness.redis ? { REDIS_URL: harness.redis.url } : {}),
    ...{ OPENAI_API_KEY: 'sk-bench', OPENAI_BASE_URL: harness.modelUrl, PAWL_TOOLS: TOOLS, PORT: '0' },
    ...env,
  };
  const start = async (part: Part) => {
    const options = [...harness.profiling(`pawl-${part}-${mode}`), ...nodeOptions];
    const output = { file: join(harness.folder, `${database}-${part}.log`) };
    const program = await startPart(part, { nodeOptions: options, env: settings, output, ...(root ? { root } : {}) });
    return { part, ...program };
  };
  const programs = await Promise.all(parts.map(start));
  return {
    url: programs.find(({ part }) => part === 'api')?.address ?? '',
    pids: Object.fromEntries(programs.map(({ part, pid }) => [part, pid])),
    close: async () => void (await Promise.all(programs.map((program) => program.stop()))),
  };
}
