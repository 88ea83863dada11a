import type { Dispatcher } from 'undici';
import { boundedText } from './bounded-text.ts';
import { explainFailure } from './explain-failure.ts';
import type { OutboundAnswer, OutboundRequest } from './open-gate.ts';
import { OutboundFailed, type OutboundFailureKind } from './outbound-failed.ts';

/** Headers that are the gate's own: one from a caller could make another request of it, or none that can be sent. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A request under way: once it has a controller, its first byte may have left; once it is over, none may leave. */
type Course = {
  host: string;
  controller: Dispatcher.DispatchController | null;
  status: number | null;
  headers: Record<string, string>;
  text: ReturnType<typeof boundedText>;
  over: boolean;
};

/** Sends one request through the agent and reads its answer, all of it within `timeoutMs`. Throws OutboundFailed. */
export async function exchange(agent: Dispatcher, request: OutboundRequest): Promise<OutboundAnswer> {
  const url = new URL(request.url);
  const course = newCourse(url.hostname, request.maxBytes);
  const answer = Promise.withResolvers<OutboundAnswer>();
  const giveUp = (kind: OutboundFailureKind, message: string) => {
    course.over = true;
    answer.reject(new OutboundFailed(kind, message, soFar(course)));
    course.controller?.abort(new Error(kind));
  };
  const onAbort = () => giveUp('aborted', `The request to ${course.host} was given up.`);
  const onTimeout = () => giveUp('timeout', `${course.host} did not answer within ${request.timeoutMs} ms.`);

  if (request.signal?.aborted) onAbort();
  request.signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(onTimeout, request.timeoutMs);
  try {
    if (!course.over) agent.dispatch(render(url, request), readAnswer(course, answer));
    return await answer.promise;
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
  }
}

function render(url: URL, { method = 'POST', headers, body }: OutboundRequest): Dispatcher.DispatchOptions {
  const theirs = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !OWN_HEADERS.has(name));
  const all = Object.fromEntries([...theirs, ['accept-encoding', 'identity']]);
  return { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers: all, body };
}

function newCourse(host: string, maxBytes: number): Course {
  return { host, controller: null, status: null, headers: {}, text: boundedText(maxBytes), over: false };
}

/** What is known of an answer that breaks off now. */
function soFar({ controller, status, text }: Course) {
  return { sent: controller !== null, status, body: status === null ? null : text.read().body };
}

function readAnswer(
  course: Course,
  { resolve, reject }: PromiseWithResolvers<OutboundAnswer>,
): Dispatcher.DispatchHandler {
  const { text } = course;
  const finish = () => resolve({ status: course.status ?? 0, headers: course.headers, ...text.read(), sent: true });
  return {
    onRequestStart(controller) {
      // Given up while it waited for its connection, or about to be written a second time: not one byte may leave now.
      if (course.over || course.controller !== null) controller.abort(new Error('over'));
      else course.controller = controller;
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return;
      course.status = status;
      course.headers = Object.fromEntries(
        Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]),
      );
    },
    onResponseData(controller, piece) {
      if (text.add(piece)) return;
      finish();
      controller.abort(new Error('enough'));
    },
    onResponseEnd: finish,
    onResponseError: (_controller, error) => reject(explainFailure(error, { host: course.host, ...soFar(course) })),
  };
}
