import type { Delta } from '../provider.ts';
import { boundReply, REPLY_LIMITS } from '../reply-limits.ts';
import type { Part } from './chunk.ts';
import { type CallDraft, gatherCall } from './gather-calls.ts';
import type { KeptPart } from './opaque.ts';

/** What a reply's parts amount to while they arrive. */
export type PartsDraft = { text: string; calls: CallDraft[]; kept: KeptPart[] };

/** Adds one part and answers what is new in it. Thoughts are shown and never stored, unless they are signed. */
export function gatherPart(draft: PartsDraft, part: Part): Delta[] {
  if (part.functionCall) return takeCall(draft, part);
  if (part.thought) return takeThought(draft, part);
  if (typeof part.text === 'string') return takeText(draft, part.text, part.thoughtSignature);
  // Media can neither be stored nor shown; code that ran at Google, and the like, goes back with the round.
  if (!part.inlineData && !part.fileData && Object.keys(part).length > 0) keep(draft, { whole: part });
  return [];
}

function keep({ kept }: PartsDraft, part: KeptPart): void {
  boundReply(kept.push(part), REPLY_LIMITS.parts, 'parts');
}

function takeCall(draft: PartsDraft, { functionCall, thoughtSignature }: Part): Delta[] {
  const { started, deltas } = gatherCall(draft.calls, functionCall ?? {});
  if (started) {
    started.keptAt = draft.kept.length;
    const id = started.id ? { id: started.id } : {};
    keep(draft, { call: draft.calls.length - 1, ...id, ...signed(thoughtSignature) });
  } else if (thoughtSignature) {
    signLastCall(draft, thoughtSignature);
  }
  return deltas;
}

/** Some streams sign a call only with its last piece. */
function signLastCall({ calls, kept }: PartsDraft, thoughtSignature: string): void {
  const last = kept[calls.at(-1)?.keptAt ?? -1];
  if (last && 'call' in last) last.thoughtSignature ??= thoughtSignature;
}

function takeThought(draft: PartsDraft, part: Part): Delta[] {
  if (part.thoughtSignature) keep(draft, { whole: part });
  return part.text ? [{ kind: 'reasoning', text: part.text }] : [];
}

/** Pieces without a signature are one part; a signed one stays a part of its own, and may be empty. */
function takeText(draft: PartsDraft, text: string, signature: string | null | undefined): Delta[] {
  if (!text && !signature) return [];
  const last = draft.kept.at(-1);
  const grows = last && 'text' in last && !last.thoughtSignature && !signature;
  if (grows) last.text += text.length;
  else keep(draft, { text: text.length, ...signed(signature) });
  draft.text += text;
  return text ? [{ kind: 'text', text }] : [];
}

function signed(signature: string | null | undefined) {
  return signature ? { thoughtSignature: signature } : {};
}
