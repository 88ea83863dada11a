import { startSimulator } from './start-simulator.ts';

const { HOST = '127.0.0.1', PORT = 0, BATCH_DELAY_MS = 2_000 } = process.env;
const batchLimits = { delayMs: Number(BATCH_DELAY_MS) };
const simulator = await startSimulator({ host: HOST, port: Number(PORT), batchLimits });
console.log(`simulator listens on ${simulator.baseUrl}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.stop());
