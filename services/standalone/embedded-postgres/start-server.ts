import { setTimeout as pause } from 'node:timers/promises';
import { Misconfigured } from '#core/failure.ts';
import { findFreePort } from './find-free-port.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { serverFailed } from './server-failed.ts';
import { serverSettings } from './server-settings.ts';
import { type Site, spawnProgram } from './spawn-program.ts';
import { stopPostmaster } from './stop-postmaster.ts';
import { watchOver } from './watch-over.ts';

const POLL_MS = 10;
const START_TIMEOUT_MS = 120_000;
const PORT_ATTEMPTS = 5;

/** A server that takes connections on `port`. */
export type Server = { pid: number; port: number; exited: Promise<unknown>; stop(): Promise<void> };

/** Starts the server and waits until it takes connections; without a wanted port it tries free ones. */
export async function startServer(site: Site, durable: boolean, wantedPort?: number): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const port = wantedPort ?? (await findFreePort());
    const from = site.log.size();
    const server = await launch(site, serverSettings({ dataFolder: site.dataFolder, port, durable }));
    if (await becomesReady(server, site)) return { ...server, port };

    await server.stop();
    const isPortTaken = site.log.tail(from).includes('could not bind');
    if (!isPortTaken) throw serverFailed('start', site.log);
    if (wantedPort !== undefined) throw portTaken(wantedPort);
    if (attempt === PORT_ATTEMPTS) throw serverFailed('start', site.log);
  }
}

type Launched = { pid: number; isGone(): boolean; exited: Promise<unknown>; stop(): Promise<void> };

async function launch(site: Site, settings: string[]): Promise<Launched> {
  const { pid, isGone, exited } = await spawnProgram('postgres', settings, site);
  const letGo = watchOver(pid, site);
  const stop = () => stopPostmaster(pid, isGone).finally(letGo);
  let stopped: Promise<void> | undefined;
  return {
    pid,
    isGone,
    exited,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** False when the server ends or takes too long; the time includes replaying its log after a crash. */
async function becomesReady(server: Launched, site: Site): Promise<boolean> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!server.isGone() && performance.now() < deadline) {
    const found = readPostmasterFile(site.dataFolder);
    if (found?.pid === server.pid && found.ready) return true;
    await pause(POLL_MS);
  }
  return false;
}

function portTaken(port: number): Misconfigured {
  return new Misconfigured(
    `The embedded PostgreSQL cannot listen on 127.0.0.1:${port}, as another program does: choose another port.`,
  );
}
