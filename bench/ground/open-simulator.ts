import { startProgram } from './start-program.ts';

/** The simulated model in a process of its own, as a vendor's would be. */
export async function openSimulator(folder: string): Promise<AsyncDisposable & { baseUrl: string; pid: number }> {
  const ready = /listens on (\S+)/;
  const program = await startProgram({ file: 'simulator/main.ts', env: { PORT: '0' }, ready, folder });
  return { baseUrl: program.said, pid: program.pid, [Symbol.asyncDispose]: program.stop };
}
