import { type Program, type ProgramOptions, startProgram } from './start-program.ts';

/** The parts of Pawl and the simulated model. Each can run as a separate process. */
export type Service = 'api' | 'worker' | 'simulator';

const PROGRAMS: Record<Service, Pick<ProgramOptions, 'file' | 'ready'>> = {
  api: { file: 'services/api/main.ts', ready: /"event":"process\.ready","url":"([^"]+)"/ },
  worker: { file: 'services/worker/main.ts', ready: /"event":"process\.ready"/ },
  simulator: { file: 'packages/simulator/main.ts', ready: /listens on (\S+)\n/ },
};

/** Starts a part. `address` is the URL that it listens on, empty for a worker. */
export function startPart(service: Service, options: Omit<ProgramOptions, 'file' | 'ready'>): Promise<Program> {
  return startProgram({ ...PROGRAMS[service], ...options });
}
