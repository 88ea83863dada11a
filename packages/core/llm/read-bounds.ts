import { Misconfigured } from '../failure.ts';
import type { Bounds } from './bounded.ts';

type Env = Record<string, string | undefined>;

/** How long a model call may take, in milliseconds (contract: starting and configuration). */
export function readBounds(env: Env): Bounds {
  return {
    timeoutMs: readMs(env, 'PAWL_MODEL_TIMEOUT_MS', 600_000),
    idleTimeoutMs: readMs(env, 'PAWL_MODEL_IDLE_TIMEOUT_MS', 120_000),
  };
}

function readMs(env: Env, variable: string, absent: number): number {
  const text = env[variable]?.trim();
  if (!text) return absent;
  const ms = /^\d+$/.test(text) ? Number(text) : 0;
  // Node's timers end there.
  if (ms < 1 || ms > 2 ** 31 - 1) throw new Misconfigured(`${variable}: give milliseconds, from 1 to ${2 ** 31 - 1}`);
  return ms;
}
