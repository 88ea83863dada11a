import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Part } from '../crashing-process.ts';
import type { Scene } from '../lane.ts';

/** What a caller sends to the API that dies, and to another one if there was no answer. */
export type Call = { method: string; path: string; body?: unknown; headers?: Record<string, string> };

/** A turn in which a process is killed, and all that happens around it. */
export type Reference = {
  /** `a process killed at any point of …`. */
  of: string;
  /** The points that are played; by default all that do not come by the clock. */
  points?: RegExp;
  /** The model that its turns ask, in place of `openai/test`. */
  model?: string;
  /** Everything before the process starts. */
  start(scene: Scene): Promise<unknown>;
  /** Variables of the process that dies, beside those of its scene. */
  env?: Record<string, string>;
  /** The projects among which places are shared; none, where each turn has its own. */
  projects?(scene: Scene): string[];
  /** How many deliveries are under way at once, so that a death may repeat each of them; 1 by default. */
  repeats?: number;
  /** The queue refuses the first job of each name. */
  queueRefuses?: true;
  /** Each step goes through the queue. By default the worker continues with what it has made due. */
  queuesSteps?: true;
  /** What a caller does about a turn in this state; true where it did something. */
  react?(scene: Scene, turn: TurnResource): Promise<boolean>;
  /** For an API: the request it gets. */
  request?(scene: Scene): Promise<Call>;
  /** For an API: how a request may be answered that was carried out before. */
  answers?: number[];
};

/** Which part dies: an API where there is a request, else a worker. */
export function partOf({ request }: Reference): Part {
  return request ? 'api' : 'worker';
}
