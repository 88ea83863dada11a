import { connect, createServer, type Socket } from 'node:net';

/** A network in one process: what it is given on a port arrives at a target DELAY_MS later, and so do the answers. */
const delayMs = Number(process.env.DELAY_MS);
const targets = (process.env.TARGETS ?? '').split(',').map(Number);
const servers = targets.map((target) =>
  createServer({ noDelay: true }, (client) =>
    join(client, connect({ port: target, host: '127.0.0.1', noDelay: true })),
  ),
);
const ports = await Promise.all(
  servers.map((server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address())))),
);
console.log(`network listens on ${ports.map((address) => (address as { port: number }).port).join(',')}`);

process.once('SIGTERM', () => process.exit(0));

function join(client: Socket, target: Socket): void {
  carry(client, target);
  carry(target, client);
}

/** Timers of one length fire in the order of their start, so bytes stay in theirs. */
function carry(from: Socket, to: Socket): void {
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs));
  from.on('end', () => setTimeout(() => to.end(), delayMs));
  from.on('error', () => to.destroy());
  from.on('close', () => setTimeout(() => to.destroy(), delayMs));
}
