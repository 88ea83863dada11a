import type { QueueName } from './count-turns.ts';

/**
 * The bound of a counter, and the value of the counter when the bound was set. `on` names the queue that the counter
 * belongs to. A counter without `on` has the same value on each queue.
 */
export type Bound = { unit: string; measured: number; on?: QueueName } & ({ atMost: number } | { atLeast: number });

/**
 * The bounds of a single turn with four rounds and three batches of two tools. Statements, commits, ids and plan
 * nodes are exact. A change that lowers a counter must lower its bound here. A change that raises a bound must give
 * the reason.
 */
export const BOUNDS: Record<string, Bound> = {
  statements: { unit: 'a turn', atMost: 10, measured: 10 },
  commits: { unit: 'a turn', atMost: 9, measured: 9 },
  'ids made': { unit: 'a turn', atMost: 18, measured: 18 },
  'plan nodes of create': { unit: 'nodes', atMost: 19, measured: 19 },
  'plan nodes of begin': { unit: 'nodes', atMost: 18, measured: 18 },
  'plan nodes of save-round': { unit: 'nodes', atMost: 18, measured: 18 },
  'plan nodes of save-results': { unit: 'nodes', atMost: 25, measured: 25 },
  'plan nodes of end': { unit: 'nodes', atMost: 37, measured: 37 },
  'plan nodes of read': { unit: 'nodes', atMost: 30, measured: 30 },
  'HOT updates of work': { unit: '% of updates', atLeast: 85, measured: 85.7 },
  'HOT updates of tool_calls': { unit: '% of updates', atLeast: 70, measured: 100 },
  'shared buffers hit': { unit: 'a turn', atMost: 216, measured: 209.8 },
  'WAL of statements': { unit: 'bytes a turn', atMost: 16_200, measured: 15_760 },
  'sent to PostgreSQL': { unit: 'bytes a turn', atMost: 9_000, measured: 8_783 },
  'sent to Redis': { unit: 'bytes a turn', on: 'redis', atMost: 17_100, measured: 16_570 },
  // The queue also sends statements by its clock.
  'statements of the queue': { unit: 'a turn', on: 'postgres', atMost: 35, measured: 32.4 },
  'shared buffers hit by the queue': { unit: 'a turn', on: 'postgres', atMost: 520, measured: 466 },
  'WAL of the queue': { unit: 'bytes a turn', on: 'postgres', atMost: 16_200, measured: 14_660 },
};
