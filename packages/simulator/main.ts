import { startSimulator } from './start-simulator.ts';

const simulator = await startSimulator({ host: process.env.HOST ?? '127.0.0.1', port: Number(process.env.PORT ?? 0) });
console.log(`simulator listens on ${simulator.baseUrl}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.stop());
