import type { TurnResource } from '#core/turn/present-turn.ts';
import type { Part } from './doomed.ts';
import type { Scene } from './open-ground.ts';

/** What a caller sends to the API that dies, and to another one if there was no answer. */
export type Call = { method: string; path: string; body?: unknown; headers?: Record<string, string> };

/** A turn to be killed in, and all that happens around it. */
export type Reference = {
  /** `a worker killed at any point of …`. */
  of: string;
  /** The points that are meant; without it all that do not come by the clock. */
  points?: RegExp;
  /** Everything up to the moment when the doomed process starts. */
  start(scene: Scene): Promise<unknown>;
  /** The queue refuses the doomed process the first job of each name. */
  queueRefuses?: true;
  /** What somebody outside does about a turn that looks like this; true where that was something. */
  react?(scene: Scene, turn: TurnResource): Promise<boolean>;
  /** For an API: what it is asked. */
  ask?(scene: Scene): Promise<Call>;
  /** For an API: how a request may be answered that has been carried out before. */
  answers?: number[];
};

/** What dies of a reference: what it asks an API, else a worker. */
export function partOf({ ask }: Reference): Part {
  return ask ? 'api' : 'worker';
}
