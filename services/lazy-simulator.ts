import { type Simulator, startSimulator } from '#simulator/start-simulator.ts';

/** The simulator behind `sim/…`: started on loopback when the first such model is asked. */
export function lazySimulator(): { baseUrl(): Promise<string>; close(): Promise<void> } {
  let started: Promise<Simulator> | undefined;
  return {
    baseUrl: async () => {
      started ??= startSimulator();
      return (await started).baseUrl;
    },
    close: async () => (await started)?.stop(),
  };
}
