/**
 * A kind of fault: its target, its duration (milliseconds, from and to), the queue and the stores that it needs.
 * `isOnce`: a run has it at most once.
 */
type FaultKindShape = {
  target: Target;
  lastsMs: readonly [number, number];
  queue?: QueueMode;
  stores?: StoreMode;
  isOnce?: boolean;
};

/**
 * The target of a fault. Two faults at one target never overlap. `worker` and `api` are one of several, chosen by
 * `aim`.
 */
export type Target =
  | 'worker'
  | 'api'
  | 'queue'
  | 'redis'
  | 'postgres'
  | 'network'
  | 'provider'
  | 'receiver'
  | 'project';

export type QueueMode = 'redis' | 'postgres';

/** Whether each store of a run is one server, or several servers with a failover. */
export type StoreMode = 'single' | 'failover';

/** All kinds of faults. docs/chaos.md describes each. */
export const faultKinds = {
  'worker-kill': { target: 'worker', lastsMs: [300, 2_500] },
  'worker-pause': { target: 'worker', lastsMs: [7_000, 10_000] },
  'worker-roll': { target: 'worker', lastsMs: [0, 500] },
  'worker-skew': { target: 'worker', lastsMs: [2_000, 6_000] },
  // It starts and ends its own process.
  'worker-misdated': { target: 'worker', lastsMs: [3_000, 8_000] },
  'worker-cut-off': { target: 'worker', lastsMs: [2_000, 8_000] },
  'worker-parted': { target: 'worker', lastsMs: [3_000, 9_000] },
  'worker-unanswered': { target: 'worker', lastsMs: [2_000, 9_000] },
  // It kills ten workers in turn.
  'poison-turn': { target: 'provider', lastsMs: [0, 0], isOnce: true },
  'api-kill': { target: 'api', lastsMs: [200, 1_500] },
  'api-roll': { target: 'api', lastsMs: [0, 500] },
  'api-cut-off': { target: 'api', lastsMs: [2_000, 6_000] },
  'api-unanswered': { target: 'api', lastsMs: [1_000, 6_000] },
  'queue-lost': { target: 'queue', lastsMs: [300, 1_500] },
  'queue-doubled': { target: 'queue', lastsMs: [1_000, 4_000] },
  'queue-replayed': { target: 'queue', lastsMs: [0, 0] },
  'rescuers-paused': { target: 'queue', lastsMs: [5_500, 8_000] },
  'redis-kill': { target: 'redis', stores: 'single', lastsMs: [100, 3_000], queue: 'redis' },
  'redis-restart': { target: 'redis', stores: 'single', lastsMs: [100, 3_000], queue: 'redis' },
  'redis-pause': { target: 'redis', lastsMs: [500, 4_000], queue: 'redis' },
  'redis-full': { target: 'redis', lastsMs: [1_000, 4_000], queue: 'redis' },
  'redis-clients-killed': { target: 'redis', lastsMs: [0, 1_000], queue: 'redis' },
  'redis-cut-off': { target: 'redis', stores: 'single', lastsMs: [2_000, 6_000], queue: 'redis' },
  'redis-parted': { target: 'redis', stores: 'single', lastsMs: [2_000, 8_000], queue: 'redis' },
  'redis-unanswered': { target: 'redis', stores: 'single', lastsMs: [2_000, 8_000], queue: 'redis' },
  'redis-failover': { target: 'redis', stores: 'failover', lastsMs: [0, 0], queue: 'redis' },
  'postgres-failover': { target: 'postgres', stores: 'failover', lastsMs: [0, 4_000] },
  'standby-parted': { target: 'postgres', stores: 'failover', lastsMs: [1_000, 6_000] },
  'postgres-restart': { target: 'postgres', lastsMs: [0, 2_000] },
  'postgres-terminated': { target: 'postgres', lastsMs: [200, 2_000] },
  'postgres-cancelled': { target: 'postgres', lastsMs: [500, 2_000] },
  'postgres-locked': { target: 'postgres', lastsMs: [1_000, 5_500] },
  'postgres-full': { target: 'postgres', lastsMs: [1_000, 3_000] },
  'postgres-slow': { target: 'postgres', lastsMs: [1_000, 4_000] },
  'postgres-cut': { target: 'postgres', lastsMs: [100, 2_000] },
  'postgres-ack-lost': { target: 'postgres', lastsMs: [200, 1_500] },
  'network-delayed': { target: 'network', lastsMs: [3_000, 8_000] },
  'network-lossy': { target: 'network', lastsMs: [3_000, 8_000] },
  'provider-429': { target: 'provider', lastsMs: [0, 0] },
  'provider-503': { target: 'provider', lastsMs: [0, 0] },
  'provider-hang': { target: 'provider', lastsMs: [0, 0] },
  'provider-cut': { target: 'provider', lastsMs: [0, 0] },
  'provider-drip': { target: 'provider', lastsMs: [0, 0] },
  'provider-garbage': { target: 'provider', lastsMs: [0, 0] },
  'receiver-down': { target: 'receiver', lastsMs: [1_000, 3_000] },
  'receiver-failing': { target: 'receiver', lastsMs: [1_000, 3_000] },
  'receiver-slow': { target: 'receiver', lastsMs: [1_000, 3_000] },
  'receiver-gone': { target: 'receiver', lastsMs: [500, 1_500] },
  // It lasts until none of its turns waits.
  flood: { target: 'project', lastsMs: [0, 0] },
} as const satisfies Record<string, FaultKindShape>;

export type FaultKind = keyof typeof faultKinds;

export function isOnce(kind: FaultKind): boolean {
  const { isOnce = false }: FaultKindShape = faultKinds[kind];
  return isOnce;
}

/** Returns whether a fault is a trouble of turns, and does not break a part or a store. */
export function isTrouble(kind: FaultKind): boolean {
  return kind.startsWith('provider-') || kind === 'poison-turn';
}

/** Returns the kinds that a run on this queue and these stores can have, in a fixed order. */
export function kindsFor(queue: QueueMode, stores: StoreMode = 'single'): FaultKind[] {
  return (Object.keys(faultKinds) as FaultKind[]).filter((kind) => {
    const needs: FaultKindShape = faultKinds[kind];
    return (needs.queue ?? queue) === queue && (needs.stores ?? stores) === stores;
  });
}
