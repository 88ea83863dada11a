import { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import { writeBody } from '../http/write-body.ts';
import type { Delta } from '../provider.ts';

/** The refusal of a server: its status, if any, its text in any form, and Pawl's code for it. */
export type Refused = { status: number | null; text: string; code?: string };

/** The result of one request: the reply, or a refusal before the first delta. */
export type Outcome = { kind: 'reply'; reply: Reply } | ({ kind: 'refused'; failure: ProviderFailed } & Refused);

/** Sends the body of a request, writes it in one form, and learns another form from a refusal. */
export type Asking<Form, Body extends object> = {
  send: (body: Body) => Promise<Outcome>;
  bodyOf: (form: Form) => Body;
  learn: (refused: Refused, form: Form) => Form | null;
};

/**
 * Asks, and repeats the request at once while a refusal teaches a new form. The form must change the request, since
 * the server would refuse the same request again. Returns the reply and its form. Throws the last refusal. `learn`
 * must end.
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

/**
 * Statuses about the key, the money or the rate. Any other status may be about the form, since many servers send one
 * status for all errors.
 */
const ELSEWHERE = [401, 402, 403, 429];

/** Codes about the same causes, and about the length of the history. */
const OTHER_CODES = [
  ...['provider_authentication_failed', 'quota_exceeded', 'provider_rate_limited', 'provider_overloaded'],
  'context_length_exceeded',
];

/** Returns whether a refusal may be about the form of the request. */
export function mayTeach({ status, code = '' }: Refused): boolean {
  return (status === null || !ELSEWHERE.includes(status)) && !OTHER_CODES.includes(code);
}

/** Returns the text of a refusal without the field names in JSON, since an error may quote the whole request. */
export function withoutNames(text: string): string {
  return text.replace(/\w+\\?"\s*:/g, '');
}

const UNKNOWN =
  /unsupported[ _](param|field|arg|option|key|prop|name)|(not|n't) support|not (be )?(permitted|allowed|recogni[sz]ed|accepted)|unknown|unrecogni[sz]ed|unexpected|extra[ _](inputs?|fields?|forbidden)|additional propert|cannot find field|is unsupported|no (such )?field|deprecated/i;

/** Returns whether a refusal says that the server does not know a field, for any value. */
export function isUnknown(text: string): boolean {
  return UNKNOWN.test(text);
}

const REFUSED = /unsupported|invalid|not (a )?valid|forbidden|only|must|remove|input should be|not implemented/i;

/** Returns whether a refusal says that the server does not accept a field or its value. */
export function isRefusal(text: string): boolean {
  return isUnknown(text) || REFUSED.test(text);
}
