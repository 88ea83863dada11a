import { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import { writeBody } from '../http/write-body.ts';
import type { Delta } from '../provider.ts';

/** The refusal of a server: its status, if it gave one, its text in any form, and the code that Pawl has for it. */
export type Refused = { status: number | null; text: string; code?: string };

/** What came of one request: the reply, or a refusal before anything was said. */
export type Outcome = { kind: 'reply'; reply: Reply } | ({ kind: 'refused'; failure: ProviderFailed } & Refused);

/** How to send the body of a request, to write it in one form, and to learn another form from a refusal. */
export type Asking<Form, Body extends object> = {
  send: (body: Body) => Promise<Outcome>;
  bodyOf: (form: Form) => Body;
  learn: (refused: Refused, form: Form) => Form | null;
};

/**
 * Asks, and asks again at once while a refusal teaches a form with which the request looks different: the server would
 * refuse the same request again. Returns the reply and the form that led to it. Throws the last refusal. `learn` must
 * come to an end.
 */
export async function askAgain<Form, Body extends object>(
  first: Form,
  asking: Asking<Form, Body>,
): Promise<{ reply: Reply; form: Form }> {
  for (let form = first; ; ) {
    const outcome = await asking.send(asking.bodyOf(form));
    if (outcome.kind === 'reply') return { reply: outcome.reply, form };
    const refused = { status: outcome.status, text: outcome.text, code: outcome.failure.code };
    const next = await otherForm(refused, form, asking);
    if (next === null) throw outcome.failure;
    form = next;
  }
}

async function otherForm<Form>(
  refused: Refused,
  form: Form,
  { bodyOf, learn }: Pick<Asking<Form, object>, 'bodyOf' | 'learn'>,
): Promise<Form | null> {
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

/** Codes about the same, and about the length of the history. */
const OTHER_CODES = [
  ...['provider_authentication_failed', 'quota_exceeded', 'provider_rate_limited', 'provider_overloaded'],
  'context_length_exceeded',
];

/** Whether a refusal may be about the form of the request. */
export function mayTeach({ status, code = '' }: Refused): boolean {
  return (status === null || !ELSEWHERE.includes(status)) && !OTHER_CODES.includes(code);
}

/** The text of a refusal without the names of fields in JSON: an error may quote the whole request. */
export function withoutNames(text: string): string {
  return text.replace(/\w+\\?"\s*:/g, '');
}

const UNKNOWN =
  /unsupported[ _](param|field|arg|option|key|prop|name)|(not|n't) support|not (be )?(permitted|allowed|recogni[sz]ed|accepted)|unknown|unrecogni[sz]ed|unexpected|extra[ _](inputs?|fields?|forbidden)|additional propert|cannot find field|is unsupported|no (such )?field|deprecated/i;

/** Whether a refusal says that the server does not know a field, whatever its value. */
export function isUnknown(text: string): boolean {
  return UNKNOWN.test(text);
}

const REFUSED = /unsupported|invalid|not (a )?valid|forbidden|only|must|remove|input should be|not implemented/i;

/** Whether a refusal says that the server does not take a field, or its value. */
export function isRefusal(text: string): boolean {
  return isUnknown(text) || REFUSED.test(text);
}
