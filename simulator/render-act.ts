import type { Act } from './act.ts';
import type { Performance } from './performance.ts';
import { renderCompletion } from './render-completion.ts';
import { type Frame, renderStream } from './render-stream.ts';

/** Turns an act into bytes and times; nothing is decided after this. */
export function renderAct(act: Act, frame: Frame & { stream: boolean }): Performance {
  switch (act.kind) {
    case 'silence':
      return { thinkMs: 0, head: null, pieces: [], paceMs: 0, ending: 'silence' };
    case 'hang-up':
      return { thinkMs: 0, head: null, pieces: [], paceMs: 0, ending: 'cut' };
    case 'error':
      return renderError(act, frame);
    case 'reply':
      return renderReply(act, frame);
  }
}

function renderError(act: Extract<Act, { kind: 'error' }>, frame: Frame): Performance {
  const isText = typeof act.body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  const head = {
    status: act.status,
    headers: { 'content-type': type, 'x-request-id': frame.requestId, ...act.headers },
  };
  const text = isText ? String(act.body) : JSON.stringify(act.body);
  return { thinkMs: act.thinkMs, head, pieces: [text], paceMs: 0, ending: 'end' };
}

function renderReply(act: Extract<Act, { kind: 'reply' }>, frame: Frame & { stream: boolean }): Performance {
  const isUnrelated = act.flaw?.kind === 'garbage' && act.flaw.after_chars === undefined;
  const isStream = frame.stream && !isUnrelated;
  const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json';
  const headers = { 'content-type': type, 'cache-control': 'no-cache', 'x-request-id': frame.requestId };
  const timing = { thinkMs: act.pace.thinkMs, paceMs: act.pace.paceMs, head: { status: 200, headers } };
  if (isUnrelated) return { ...timing, pieces: ['{"weather":"sunny"}'], ending: 'end' };
  return { ...timing, ...(isStream ? renderStream(act, frame) : renderCompletion(act, frame)) };
}
