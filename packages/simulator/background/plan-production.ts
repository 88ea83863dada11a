import { errorBody } from '../error-body.ts';
import type { FlawedReply } from '../render-response.ts';
import { groupSteps, itemSteps, type Step } from '../responses/item-steps.ts';
import { begunResponse, type ResponseMeta, type ResponseObject, responseObject } from '../responses/response-object.ts';
import type { ScriptedBackground } from '../script.ts';
import { stepOf } from './kept-response.ts';

/** A move of a production, after a wait: events in progress, an end with a status, or the loss of the response. */
export type ProductionMove = { waitMs: number } & (
  | { kind: 'advance'; state: ResponseObject; steps: Step[] }
  | { kind: 'end'; state: ResponseObject }
  | { kind: 'lose' }
);

type Move = ProductionMove extends infer One ? (One extends unknown ? Omit<One, 'waitMs'> : never) : never;

const PLAIN = { queued_ms: 0, pause_ms: 0, pause_after_chars: 0, code: 'server_error', stream: true };

/** Plans how the server produces a background response, with the delays and the end of the script. */
export function planProduction({ reply, pace, background }: FlawedReply, meta: ResponseMeta): ProductionMove[] {
  const script: ScriptedBackground = background ?? PLAIN;
  const begun = begunResponse(meta);
  const whole = responseObject(reply, meta);
  const groups = groupSteps(itemSteps(whole.output, pace));
  const before = charsBefore(groups);
  const most = script.end ? (script.end_after_chars ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  const shown = groups.filter((_, index) => (before[index] ?? 0) < most);
  const paused = before.slice(0, shown.length).findIndex((chars) => chars >= script.pause_after_chars);
  const pausedAt = paused < 0 ? shown.length : paused;
  const waitMs = (index: number) =>
    (index === 0 ? pace.thinkMs : pace.paceMs) + (index === pausedAt ? script.pause_ms : 0);
  const moves = [
    ...shown.map((steps): Move => ({ kind: 'advance', state: begun, steps })),
    ...endOf(script, begun, whole),
  ];
  return [
    { waitMs: script.queued_ms, kind: 'advance', state: begun, steps: [stepOf('in_progress', begun)] },
    ...moves.map((move, index) => ({ waitMs: waitMs(index), ...move })),
  ];
}

/** Returns the number of characters before each group. */
function charsBefore(groups: Step[][]): number[] {
  let chars = 0;
  return groups.map((steps) => {
    const before = chars;
    for (const { text } of steps) chars += text?.length ?? 0;
    return before;
  });
}

function endOf({ end, code }: ScriptedBackground, begun: ResponseObject, whole: ResponseObject): Move[] {
  switch (end) {
    case undefined:
      return [{ kind: 'end', state: whole }];
    case 'failed':
      return [
        { kind: 'end', state: { ...begun, status: end, error: { code, message: errorBody(500).error.message } } },
      ];
    case 'cancelled':
      return [{ kind: 'end', state: { ...begun, status: end } }];
    case 'lost':
      return [{ kind: 'lose' }];
    case 'never':
      return [];
  }
}
