import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';
import { startProgram } from './start-program.ts';

/** The simulated model in a process of its own, as a vendor's would be. */
export async function openSimulator(folder: string): Promise<AsyncDisposable & { baseUrl: string; pid: number }> {
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const readyUrl = `${baseUrl}/models`;
  const program = await startProgram({ file: 'simulator/main.ts', env: { PORT: String(port) }, readyUrl, folder });
  return { baseUrl, pid: program.pid, [Symbol.asyncDispose]: () => program.stop() };
}
