/**
 * A kind of fault: where it strikes, how long it lasts (milliseconds, from and to), with which queue it can be, and
 * whether a run has it once at most.
 */
type FaultKindShape = { place: Place; lastsMs: readonly [number, number]; queue?: QueueMode; isOnce?: boolean };

/** Two faults at the same place never overlap; `worker` and `api` are one of several, chosen by the strike. */
export type Place = 'worker' | 'api' | 'queue' | 'redis' | 'postgres' | 'provider' | 'receiver';

/** The queue that Pawl runs on. */
export type QueueMode = 'redis' | 'postgres';

/** Every kind of fault there is (docs/chaos.md says what each does). */
export const faultKinds = {
  'worker-kill': { place: 'worker', lastsMs: [300, 2_500] },
  'worker-pause': { place: 'worker', lastsMs: [7_000, 10_000] },
  'worker-roll': { place: 'worker', lastsMs: [0, 500] },
  'worker-skew': { place: 'worker', lastsMs: [2_000, 6_000] },
  'worker-cut-off': { place: 'worker', lastsMs: [2_000, 8_000] },
  // Ten workers die of it, one after the other.
  'poison-turn': { place: 'provider', lastsMs: [0, 0], isOnce: true },
  'api-kill': { place: 'api', lastsMs: [200, 1_500] },
  'api-roll': { place: 'api', lastsMs: [0, 500] },
  'api-cut-off': { place: 'api', lastsMs: [2_000, 6_000] },
  'queue-lost': { place: 'queue', lastsMs: [300, 1_500] },
  'queue-doubled': { place: 'queue', lastsMs: [1_000, 4_000] },
  'queue-replayed': { place: 'queue', lastsMs: [0, 0] },
  'rescuers-paused': { place: 'queue', lastsMs: [5_500, 8_000] },
  'redis-kill': { place: 'redis', lastsMs: [100, 3_000], queue: 'redis' },
  'redis-restart': { place: 'redis', lastsMs: [100, 3_000], queue: 'redis' },
  'redis-pause': { place: 'redis', lastsMs: [500, 4_000], queue: 'redis' },
  'redis-full': { place: 'redis', lastsMs: [1_000, 4_000], queue: 'redis' },
  'redis-clients-killed': { place: 'redis', lastsMs: [0, 1_000], queue: 'redis' },
  'redis-cut-off': { place: 'redis', lastsMs: [2_000, 6_000], queue: 'redis' },
  'postgres-restart': { place: 'postgres', lastsMs: [0, 2_000] },
  'postgres-terminated': { place: 'postgres', lastsMs: [200, 2_000] },
  'postgres-cancelled': { place: 'postgres', lastsMs: [500, 2_000] },
  'postgres-locked': { place: 'postgres', lastsMs: [1_000, 5_500] },
  'postgres-full': { place: 'postgres', lastsMs: [1_000, 3_000] },
  'postgres-slow': { place: 'postgres', lastsMs: [1_000, 4_000] },
  'postgres-cut': { place: 'postgres', lastsMs: [100, 2_000] },
  'postgres-ack-lost': { place: 'postgres', lastsMs: [200, 1_500] },
  'provider-429': { place: 'provider', lastsMs: [0, 0] },
  'provider-503': { place: 'provider', lastsMs: [0, 0] },
  'provider-hang': { place: 'provider', lastsMs: [0, 0] },
  'provider-cut': { place: 'provider', lastsMs: [0, 0] },
  'provider-drip': { place: 'provider', lastsMs: [0, 0] },
  'provider-garbage': { place: 'provider', lastsMs: [0, 0] },
  'receiver-down': { place: 'receiver', lastsMs: [1_000, 3_000] },
  'receiver-failing': { place: 'receiver', lastsMs: [1_000, 3_000] },
  'receiver-slow': { place: 'receiver', lastsMs: [1_000, 3_000] },
  'receiver-gone': { place: 'receiver', lastsMs: [500, 1_500] },
} as const satisfies Record<string, FaultKindShape>;

export type FaultKind = keyof typeof faultKinds;

/** Whether a run has a kind once at most. */
export function isOnce(kind: FaultKind): boolean {
  const { isOnce = false }: FaultKindShape = faultKinds[kind];
  return isOnce;
}

/** The kinds that a run on this queue can have, in a fixed order. */
export function kindsFor(queue: QueueMode): FaultKind[] {
  return (Object.keys(faultKinds) as FaultKind[]).filter((kind) => {
    const { queue: wanted }: FaultKindShape = faultKinds[kind];
    return wanted === undefined || wanted === queue;
  });
}
