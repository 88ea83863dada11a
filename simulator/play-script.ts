import type { Act, Call, Pace, SimulatedReply } from './act.ts';
import type { Asked } from './asked.ts';
import { type CurrentTurn, resultsText, roundsPlayed } from './current-turn.ts';
import { errorBody, refusalBody } from './error-body.ts';
import { estimateUsage } from './estimate-usage.ts';
import type { Fault, Scene, Script } from './script.ts';
import { mayCall, writeCalls } from './write-calls.ts';

const PIECE_CHARS = 24;

/** Plays the round that the history has come to, or the answer when no round is left or no call is allowed. */
export function playScript(script: Script, asked: Asked, turn: CurrentTurn): Act {
  if (script.refuses_tools && asked.body.tools?.length) return refuseTools(asked.body.model);
  const scene = sceneNow(script, asked, turn);
  const pace = paceOf(script, scene);
  const reply = replyOf(script, scene, { asked, turn });
  const { fault } = scene;
  if (!fault || asked.tryNumber >= (fault.times ?? Number.POSITIVE_INFINITY)) {
    return { kind: 'reply', reply, pace, flaw: null };
  }
  if (fault.kind === 'refuse') return { kind: 'hang-up' };
  if (fault.kind === 'status') return failure(fault, pace.thinkMs);
  if (fault.kind === 'hang' && fault.after_chars === undefined) return { kind: 'silence' };
  return { kind: 'reply', reply, pace, flaw: fault };
}

function sceneNow(script: Script, { body }: Asked, turn: CurrentTurn): Scene {
  const round = script.rounds[roundsPlayed(turn, script.calls_as)];
  if (!round) return finalScene(script);
  if (round.tools?.length) return mayCall(script.calls_as, body) ? round : finalScene(script);
  // A round that neither says nor calls anything is there for its fault or its pace.
  return { ...round, say: round.say ?? script.answer };
}

function finalScene({ final, answer }: Script): Scene {
  return { ...final, say: final?.say ?? answer };
}

function paceOf(script: Script, scene: Scene): Pace {
  return {
    thinkMs: scene.think_ms ?? script.think_ms ?? 0,
    paceMs: scene.pace_ms ?? script.pace_ms ?? 0,
    pieceChars: scene.piece_chars ?? script.piece_chars ?? PIECE_CHARS,
    interleave: scene.interleave ?? script.interleave ?? false,
  };
}

function replyOf(script: Script, scene: Scene, { asked, turn }: { asked: Asked; turn: CurrentTurn }): SimulatedReply {
  const said = scene.say?.replaceAll('{{results}}', () => resultsText(turn)) ?? null;
  const written = writeCalls(script.calls_as, asked.body, { text: said, calls: callsOf(scene, turn) });
  const reply = {
    ...written,
    reasoning: scene.reasoning ?? '',
    finishReason: scene.finish_reason ?? (written.calls.length ? 'tool_calls' : 'stop'),
  };
  return { ...reply, usage: scene.usage === undefined ? estimateUsage(asked.bodyLength, reply) : scene.usage };
}

/** Ids are unique in the conversation and the same on every try: turn, messages since then, place. */
function callsOf(scene: Scene, { number, since }: CurrentTurn): Call[] {
  return (scene.tools ?? []).map((tool, index) => ({
    id: tool.id ?? `call_${number}_${since.length}_${index}`,
    name: tool.name,
    arguments: typeof tool.arguments === 'string' ? tool.arguments : JSON.stringify(tool.arguments),
  }));
}

function refuseTools(model: string): Act {
  const body = refusalBody('invalid_request', `${model} does not support tools`, 'tools');
  return { kind: 'error', status: 400, headers: {}, body, thinkMs: 0 };
}

function failure(fault: Extract<Fault, { kind: 'status' }>, thinkMs: number): Act {
  const headers: Record<string, string> = {};
  if (fault.retry_after !== undefined) headers['retry-after'] = String(fault.retry_after);
  if (fault.retry_after_ms !== undefined) headers['retry-after-ms'] = String(fault.retry_after_ms);
  return { kind: 'error', status: fault.status, headers, body: fault.body ?? errorBody(fault.status), thinkMs };
}
