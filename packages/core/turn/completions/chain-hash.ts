import { createHash } from 'node:crypto';
import { canonicalArguments } from '../call.ts';
import type { CompletionMessage } from './completion-message.ts';

/** The part of a message that decides whether two chains of messages are equal. */
export type ChainedMessage = {
  role: string;
  text: string;
  /** The model's calls. Any spelling of their arguments is accepted. A `function_call` has no id. */
  calls: { id: string | null; name: string; arguments: string }[];
  /** The call that a result answers: its id, or the name of the function. */
  answers: string | null;
};

/** The owner of a chain. A completion continues only completions of the same key and subject. */
export type ChainOwner = { project: string; keyId: string | null; subject: string | null };

/** Returns the hash of a chain without messages. */
export function beginHash({ project, keyId, subject }: ChainOwner): string {
  return hashOf([project, keyId, subject]);
}

/** Returns the hash of a chain with one message more. */
export function extendHash(hash: string, { role, text, calls, answers }: ChainedMessage): string {
  const asked = calls.map((call) => [call.id, call.name, spellOnce(call.arguments)]);
  return hashOf([hash, role, text, asked, answers]);
}

/** Longer arguments are compared as text, since parsing them would take too long. */
const MOST_PARSED = 16_384;

function spellOnce(args: string): string {
  return args.length > MOST_PARSED ? args : canonicalArguments(args);
}

/** Returns the answer of a completion in the form that its client sends back. */
export function chainedAnswer({ content, refusal, tool_calls = [], function_call }: CompletionMessage): ChainedMessage {
  const calls = tool_calls.map((call) =>
    call.type === 'custom'
      ? { id: call.id, name: call.custom.name, arguments: call.custom.input }
      : { id: call.id, ...call.function },
  );
  return {
    role: 'assistant',
    text: `${content ?? ''}${refusal ?? ''}`,
    calls: function_call ? [{ id: null, ...function_call }] : calls,
    answers: null,
  };
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
