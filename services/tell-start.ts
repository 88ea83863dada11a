import { resolve } from 'node:path';
import type { Log } from './log.ts';
import type { Parts } from './open-parts.ts';
import type { Settings } from './settings.ts';

/** Tells what a process has been given to work with, a line each: data, queue, providers, tools. No secret is among it. */
export function tellStart(log: Log, settings: Settings, parts: Pick<Parts, 'providers' | 'tools' | 'mcp'>): void {
  const { providers, tools, mcp } = parts;
  const { DATABASE_URL, REDIS_URL, PAWL_DATA_DIR, PAWL_TOOLS } = settings;
  log.info(
    `PostgreSQL: ${DATABASE_URL ? `at ${placeOf(DATABASE_URL)}` : `an embedded one in ${resolve(PAWL_DATA_DIR)}`}`,
  );
  log.info(`queue: ${REDIS_URL ? `Redis at ${placeOf(REDIS_URL)}` : 'on the same PostgreSQL'}`);
  log.info(`providers: ${providers.names.join(', ')}`);
  const count = tools.list().length;
  const own = count === 0 ? 'none of our own' : `${count} of ${resolve(PAWL_TOOLS || 'tools.ts')}`;
  log.info(`tools: ${own}${mcp.names.length === 0 ? '' : `, MCP servers: ${mcp.names.join(', ')}`}`);
}

/** Host, port and database of a URL, without who goes there. */
function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.host}${parsed.pathname}` : 'a place that is no plain URL';
}
