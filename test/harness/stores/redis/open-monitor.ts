import type { Redis } from 'ioredis';

/**
 * Opens a connection to the same Redis that reports each command from now on. `client.monitor()` rejects if the answer
 * to MONITOR arrives together with a command of another client: ioredis reads that command as the answer to an unknown
 * request, and reports an error. Such an early command is of no interest here.
 */
export async function openMonitor(client: Redis): Promise<Redis> {
  const monitor = client.duplicate({ monitor: true, lazyConnect: false });
  monitor.on('error', ignoreEarlyCommand);
  await new Promise<void>((resolve, reject) => {
    monitor.once('monitoring', resolve);
    monitor.once('end', () => reject(new Error('The connection to Redis ended before it monitored commands.')));
  });
  return monitor;
}

function ignoreEarlyCommand(error: Error): void {
  if (!error.message.startsWith('Command queue state error')) throw error;
}
