import { scripted } from '#test/harness/scripted.ts';
import type { Scene } from '../lane.ts';
import type { Reference } from './reference.ts';

const place = {
  ...{ type: 'object', properties: { city: { type: 'string' } } },
  ...{ required: ['city'], additionalProperties: false },
};

/** Turns with a first answer that breaks their output schema. */
export const answerReferences: Reference[] = [
  {
    of: 'a turn whose answer is repaired, with a webhook for each round',
    points: /saveInvalidAnswer|endWithRound|r2/,
    start: (scene) => startInvalid(scene, [{ say: '{"city":"Lisbon"}' }]),
  },
  {
    of: 'a turn that fails with an answer that is invalid after its repair too',
    points: /endWithRound/,
    start: (scene) => startInvalid(scene, [{ say: '{}' }]),
  },
];

function startInvalid({ startTurn, recorder }: Scene, repairs: { say: string }[]) {
  const events = ['round.completed', 'turn.completed', 'turn.failed'];
  return startTurn({
    input: scripted({ answer: '{"city":7}', repairs }),
    output_schema: { name: 'place', schema: place },
    webhook: { url: `${recorder.url}/hook`, events },
  });
}
