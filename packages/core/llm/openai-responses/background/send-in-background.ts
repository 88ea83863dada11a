import type { ProviderFailed } from '../../../failure.ts';
import type { Reply } from '../../../turn/reply.ts';
import { cutStream, nameFailure } from '../../errors/name-failure.ts';
import { exhaustedField } from '../../http/exhausted-field.ts';
import type { Call, Reader, Send } from '../../http/http-provider.ts';
import type { OpenedReply } from '../../http/open-reply.ts';
import { Interrupted, StillRunning } from '../../interrupted.ts';
import type { BackgroundResponses, Delta } from '../../provider.ts';
import { readOutcome } from '../../refusals/ask-again.ts';
import type { Body } from '../render-request.ts';
import { isFinished, type ReplyAccumulator, startReply } from '../reply-accumulator.ts';
import { type Following, followResponse, type Line, openLine, readLive } from './follow-response.ts';
import type { OpenResponse } from './kept-responses.ts';

type Server = { open: OpenResponse; reader: Reader<ReplyAccumulator> };

/**
 * Returns how to send a request of a round that is asked in the background. If the round has created a response
 * before, the first request follows that response. A new response is committed before its first delta (R40).
 */
export function sendInBackground(
  call: Call,
  { send, background, ...server }: Server & { send: Send<Body>; background: BackgroundResponses },
): Send<Body> {
  const { isPolled } = background;
  let known = background.known();
  return async (body) => {
    if (known !== null) {
      const id = known;
      known = null;
      const followed = { id, reply: startReply() };
      return await readOutcome(call.onDelta, (onDelta) =>
        followResponse({ ...followed, call: { ...call, onDelta } }, { ...server, isPolled }),
      );
    }
    await interrupting(() => background.create());
    call.signal.throwIfAborted();
    using line = openLine(call);
    const creating = { ...server, line, background };
    return await send(body, {
      call: { ...call, signal: line.signal },
      read: (opened, reading) => readCreated(opened, { ...reading, signal: call.signal }, creating),
    });
  };
}

type Creating = Server & { line: Line; background: BackgroundResponses };

/**
 * Reads the answer to a new response. Deltas wait until the id is committed. A broken stream is followed further. The
 * id of a failed response is committed too, so that the response is deleted.
 */
async function readCreated(opened: OpenedReply, call: Call, { line, background, ...server }: Creating): Promise<Reply> {
  const reply = startReply();
  const gate = commitGate(reply, call, background);
  const gated = { ...call, onDelta: gate.take };
  try {
    const live = { call: gated, line, reader: server.reader, onEvents: gate.open };
    const failure = await readLive(reply, opened, live).catch((error: unknown) => ({ error }));
    await gate.open();
    // A complete answer without an end is a response that the server still works on.
    const isRunning = opened.kind === 'whole' && reply.id !== null && !isFinished(reply);
    if (failure && !isRunning) throw failure.error;
  } catch (error) {
    if (error instanceof StillRunning && reply.id === null) throw silent(call);
    throw error;
  }
  const done = isFinished(reply)
    ? server.reader.finish(reply, call)
    : await followCreated(reply, call, { ...server, isPolled: opened.kind === 'whole' });
  return { ...done, ...exhaustedField(opened.headers) };
}

function silent({ asked }: Call): ProviderFailed {
  return nameFailure('provider_timeout', { ...asked, reason: 'silent before the response had an id' });
}

async function followCreated(reply: ReplyAccumulator, call: Call, following: Following): Promise<Reply> {
  const { id } = reply;
  if (id === null) throw cutStream(call.provider);
  return await followResponse({ id, reply, call }, following);
}

/** Runs a write within a request, so that its failure does not count as a failure of the provider. */
async function interrupting(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new Interrupted('a write within the request failed', { cause });
  }
}

/** Holds deltas back until the id of the response is committed. */
function commitGate(reply: ReplyAccumulator, call: Call, background: BackgroundResponses) {
  let held: Delta[] | null = [];
  let isCommitted = false;
  return {
    take: (delta: Delta): void => void (held ? held.push(delta) : call.onDelta(delta)),
    async open(): Promise<void> {
      if (isCommitted || reply.id === null) return;
      isCommitted = true;
      const { id } = reply;
      await interrupting(() => background.commit(id));
      const waiting = held ?? [];
      held = null;
      for (const delta of waiting) call.onDelta(delta);
    },
  };
}
