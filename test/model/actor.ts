import type { Fault } from './fault.ts';
import type { Guards } from './guards.ts';
import type { Scene } from './scene.ts';
import type { Emit, Setting } from './setting.ts';
import type { Run, State } from './state.ts';

/** A worker with the run it has on hand, as both stand now, and the way to tell of what it may do next. */
export type Actor = {
  state: State;
  run: Run;
  scene: Scene;
  guards: Guards;
  setting: Setting;
  /** Tells of one thing it may do: `change` is given the same run in the state that follows. */
  may(verb: string, change: (run: Run, after: State) => void, fault?: Fault): void;
};

/** One of the two workers, `who`. */
export function makeActor(state: State, who: 0 | 1, { setting, emit }: { setting: Setting; emit: Emit }): Actor {
  const { scene, guards } = setting;
  return {
    ...{ state, run: state.runs[who], scene, guards, setting },
    may: (verb, change, fault) => emit(`w${who + 1} ${verb}`, (after) => change(after.runs[who], after), fault),
  };
}
