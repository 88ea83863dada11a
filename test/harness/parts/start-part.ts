import { type Program, type ProgramOptions, startProgram } from './start-program.ts';

/** What Pawl is made of, and the simulated model: each can run as a process of its own. */
export type Service = 'api' | 'worker' | 'simulator';

const PROGRAMS: Record<Service, Pick<ProgramOptions, 'file' | 'ready'>> = {
  api: { file: 'services/api/main.ts', ready: /"event":"process\.ready","url":"([^"]+)"/ },
  worker: { file: 'services/worker/main.ts', ready: /"event":"process\.ready"/ },
  simulator: { file: 'packages/simulator/main.ts', ready: /listens on (\S+)\n/ },
};

/** Starts a part; its `address` is the URL where it listens, empty for a worker. */
export function startPart(service: Service, options: Omit<ProgramOptions, 'file' | 'ready'>): Promise<Program> {
  return startProgram({ ...PROGRAMS[service], ...options });
}
