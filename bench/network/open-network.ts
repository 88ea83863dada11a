import { join } from 'node:path';
import { startProgram } from '#test/harness/parts/start-program.ts';
import type { BenchHarness } from '../open-harness.ts';

/** The harness with its stores as far away as a network, and a process that is that network. */
export type Network = { harness: BenchHarness; databaseUrl: string; pid: number; close(): Promise<void> };

/** Puts `delayMs` each way between Pawl and both stores; the benchmark itself still reads them directly. */
export async function openNetwork(harness: BenchHarness, databaseUrl: string, delayMs: number): Promise<Network> {
  const urls = [databaseUrl, ...(harness.redis ? [harness.redis.url] : [])];
  const { address, pid, stop } = await startProgram({
    file: 'bench/network/main.ts',
    env: { DELAY_MS: String(delayMs), TARGETS: urls.map((url) => new URL(url).port).join(',') },
    ready: /network listens on (\S+)\n/,
    output: { file: join(harness.folder, 'network.log') },
  });
  const [database = '', redis = ''] = urls.map((url, index) => throughPort(url, address.split(',')[index] ?? ''));
  const far = harness.redis ? { ...harness, redis: { ...harness.redis, url: redis } } : harness;
  return { harness: far, databaseUrl: database, pid, close: async () => void (await stop()) };
}

function throughPort(url: string, port: string): string {
  return Object.assign(new URL(url), { port, hostname: '127.0.0.1' }).href;
}
