import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccessKey } from '../projects/access-keys.ts';
import type { Settings } from '../settings.ts';

/** Whether a request may read the metrics. `no-key` means no valid key, `insufficient` a key without this right. */
export type MetricsAccess = 'allowed' | 'no-key' | 'insufficient';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|::1|\[::1\])$/;

/**
 * Requires `PAWL_METRICS_KEY` or an admin key. Without that variable, the metrics of a process that listens on
 * loopback are open. Checks `HOST` and not the peer, since behind a proxy all peers are loopback.
 */
export function metricsAccess(
  { PAWL_METRICS_KEY: key, HOST: host }: Pick<Settings, 'PAWL_METRICS_KEY' | 'HOST'>,
  accessKeys: () => AccessKey[],
): (authorization: string | undefined) => MetricsAccess {
  if (key === undefined && LOOPBACK.test(host)) return () => 'allowed';
  const own = key === undefined ? [] : [{ key, isAdmin: true }];
  return (authorization) => {
    const known = accessKeys().map((access) => ({ key: access.key, isAdmin: access.scopes.includes('admin') }));
    const given = digest(/^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '');
    // Compares with every key in constant time.
    const fitting = [...own, ...known].filter((one) => timingSafeEqual(digest(one.key), given));
    if (fitting.length === 0) return 'no-key';
    return fitting.some(({ isAdmin }) => isAdmin) ? 'allowed' : 'insufficient';
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
