import { expect, test } from 'vitest';
import { fitEvent } from '#core/pubsub/fit-event.ts';
import type { HostedCall } from '#core/turn/hosted/hosted.ts';
import { makeUiSender } from '#core/turn/ui-message/ui-sender.ts';
import { type HostedEvent, hostedCallsOf } from '#services/api/stream/hosted-calls.ts';
import { makeCode, started } from '#test/turn/hosted/make-hosted.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

/** Returns a call as a stream receives it in a live event. */
function liveOf(call: HostedCall): HostedCall[] {
  const event = { type: 'hosted_call.completed' as const, turn_id: 'turn_1', round: 1, attempt: 1, hosted_call: call };
  const events = fitEvent(event).filter((fit): fit is HostedEvent => 'hosted_call' in fit);
  return hostedCallsOf({ events, early: [] });
}

test.each([
  ['output', makeCode({ output: 'x'.repeat(9000) })],
  ['error', makeCode({ status: 'failed', output: null, error: 'x'.repeat(9000) })],
  ['input', makeCode({ input: { code: 'x'.repeat(9000) } })],
])('a hosted call with a large %s has its whole data in the message', (_, call) => {
  const reply = { round: 1, attempt: 1, draft: 0, reasoning: '', reasoningLength: 0, text: '', refusalFrom: null };
  const round = { ...makeRound(1, null), hosted: { calls: [call], annotations: [], images: [] } };
  const ended = makeTurn({ status: 'completed', output: 'Done.', rounds: [round] });
  const live = makeUiSender();

  const chunks = [
    ...live.send(makeTurn(), { ...reply, hosted: [started(call)] }),
    ...live.send(makeTurn(), { ...reply, hosted: liveOf(call) }),
    ...live.send(ended, undefined),
  ];

  expect(chunks).toEqual([...makeUiSender().send(ended, undefined)]);
});
