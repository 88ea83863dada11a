import type { Model } from '../explore/model.ts';
import { type Left, plainModel } from '../explore/plain-model.ts';
import type { AdmissionGuards } from './admission-guards.ts';
import { movesOfAdmission } from './admission-moves.ts';
import {
  type AdmissionFault,
  type AdmissionScene,
  type AdmissionState,
  firstAdmissionState,
} from './admission-state.ts';

type AdmissionSetting = { scene: AdmissionScene; guards: AdmissionGuards; left: Left<AdmissionFault> };

const BOUNDS: Record<AdmissionScene, AdmissionState['bounds']> = {
  window: { a: { window: 1, quota: null }, b: { window: 1, quota: null } },
  quota: { a: { window: 2, quota: 1 }, b: { window: 1, quota: null } },
};

/** The model of the places that the turns of two projects share (R27, R28). */
export function admissionModel({ scene, guards, left }: AdmissionSetting): Model<AdmissionState> {
  return plainModel({
    first: firstAdmissionState({ bounds: BOUNDS[scene], left }),
    movesOf: (state, emit) => movesOfAdmission(state, guards, emit),
    brokenIn: () => null,
    isDone,
  });
}

/** All that can end has ended: a project whose step hangs may keep its own turns waiting, and no others. */
function isDone({ turns, runs }: AdmissionState): boolean {
  const hanging = runs.flatMap(({ at, turn }) => (at === 'hanging' ? [turns[turn]?.project] : []));
  return turns.every(({ project, status }) => status === 'ended' || hanging.includes(project));
}
