import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Part } from '../crashing-process.ts';
import type { Scene } from '../lane.ts';

/** A caller's request to the API that dies, and to another API if there was no answer. */
export type Call = { method: string; path: string; body?: unknown; headers?: Record<string, string> };

/** A turn during which a process is killed, and the actions around it. */
export type Reference = {
  /** `a process killed at any point of …`. */
  of: string;
  /** The points that are played. The default is all points that are not caused by the clock. */
  points?: RegExp;
  /** The model that its turns ask, instead of `openai/test`. */
  model?: string;
  /** Starts the turn and runs all jobs before the process starts. */
  start(scene: Scene): Promise<unknown>;
  /** Additional variables of the process that dies. */
  env?: Record<string, string>;
  /** The projects that share slots. Absent if no turn needs a slot. */
  projects?(scene: Scene): string[];
  /** How many deliveries are under way at once, so that a death may repeat each. The default is 1. */
  repeats?: number;
  /** The queue refuses the first job of each name. */
  queueRefuses?: true;
  /** Each step goes through the queue. By default the worker continues with the step that it made due. */
  queuesSteps?: true;
  /** Acts as a caller on a turn in this state. Returns true if it acted. */
  react?(scene: Scene, turn: TurnResource): Promise<boolean>;
  /** For an API: returns its request. */
  request?(scene: Scene): Promise<Call>;
  /** For an API: the allowed answers to a request that was carried out before. */
  answers?: number[];
};

/** Returns the part that dies: an API if the reference has a request, else a worker. */
export function partOf({ request }: Reference): Part {
  return request ? 'api' : 'worker';
}
