import { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import { writeBody } from '../http/write-body.ts';
import type { Delta } from '../provider.ts';

/** The refusal of a server: its status, if it gave one, and its text in any form. */
export type Refused = { status: number | null; text: string };

/** What came of one request: the reply, or a refusal before anything was said. */
export type Outcome = { kind: 'reply'; reply: Reply } | ({ kind: 'refused'; failure: ProviderFailed } & Refused);

/** How to ask with a request in one form, to write its body, and to learn another form from a refusal. */
export type Asking<Form> = {
  send: (form: Form) => Promise<Outcome>;
  bodyOf: (form: Form) => object;
  learn: (refused: Refused, form: Form) => Form | null;
};

/**
 * Asks, and asks again at once while a refusal teaches a form with which the request looks different: the server would
 * refuse the same request again. Returns the reply and the form that led to it. Throws the last refusal. `learn` must
 * come to an end.
 */
export async function askAgain<Form>(first: Form, asking: Asking<Form>): Promise<{ reply: Reply; form: Form }> {
  for (let form = first; ; ) {
    const outcome = await asking.send(form);
    if (outcome.kind === 'reply') return { reply: outcome.reply, form };
    const next = await otherForm(outcome, form, asking);
    if (next === null) throw outcome.failure;
    form = next;
  }
}

async function otherForm<Form>(refused: Refused, form: Form, { bodyOf, learn }: Asking<Form>): Promise<Form | null> {
  let next = learn(refused, form);
  if (next === null) return null;
  const before = await writeBody(bodyOf(form));
  while (next !== null && Buffer.compare(before, await writeBody(bodyOf(next))) === 0) next = learn(refused, next);
  return next;
}

/** Reads a reply. A failure before the first delta is a refusal, which some servers send inside a 200. */
export async function readOutcome(
  onDelta: (delta: Delta) => void,
  read: (onDelta: (delta: Delta) => void) => Promise<Reply>,
): Promise<Outcome> {
  let isSilent = true;
  const watched = (delta: Delta) => {
    isSilent = false;
    onDelta(delta);
  };
  try {
    return { kind: 'reply', reply: await read(watched) };
  } catch (failure) {
    if (!(failure instanceof ProviderFailed) || !isSilent) throw failure;
    return { kind: 'refused', failure, status: failure.provider.status, text: failure.message };
  }
}

/** Statuses about the key, the money or the pace. All others occur, since many servers give one status to all errors. */
const ELSEWHERE = [401, 402, 403, 429];

/** Whether a refusal may be about the form of the request. */
export function mayTeach({ status }: Refused): boolean {
  return status === null || !ELSEWHERE.includes(status);
}
