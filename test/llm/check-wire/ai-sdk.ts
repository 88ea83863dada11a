import type { LanguageModelV4CallOptions as Options, LanguageModelV4Message as PromptMessage } from '@ai-sdk/provider';
import { repeated, unless } from './problems.ts';

const ID = /^[a-zA-Z0-9_-]{1,40}$/;

/** Returns the reasons of an AI SDK package, or its server, to refuse a call. `id` matches the valid call ids. */
export function checkAiSdk({ prompt, tools = [], toolChoice }: Options, id: RegExp = ID): string[] {
  const spoken = prompt.filter(({ role }) => role !== 'system');
  const calls = prompt.flatMap(callsOf);
  return [
    ...unless(spoken[0]?.role === 'user', 'the user does not speak first'),
    ...unless(spoken.at(-1)?.role !== 'assistant', 'the assistant speaks last'),
    ...prompt.slice(1).flatMap(({ role }, at) => unless(role !== 'system', `[${at + 1}] a late system message`)),
    ...prompt.flatMap((message, at) => checkContent(message).map((problem) => `[${at}] ${problem}`)),
    ...prompt.flatMap((message, at) => checkAnswers(message, prompt[at + 1]).map((problem) => `[${at}] ${problem}`)),
    ...prompt.flatMap((message, at) =>
      unless(message.role !== 'tool' || callsOf(prompt[at - 1]).length > 0, `[${at}] results of nothing`),
    ),
    ...repeated(calls).map((twice) => `two calls with the id ${twice}`),
    ...calls.flatMap((each) => unless(id.test(each), `the id ${each}`)),
    ...unless(calls.length === 0 || (tools.length > 0 && toolChoice?.type !== 'none'), 'calls that a package may drop'),
    ...repeated(tools.map(({ name }) => name)).map((twice) => `two tools named ${twice}`),
  ];
}

function callsOf(message: PromptMessage | undefined): string[] {
  if (message?.role !== 'assistant') return [];
  return message.content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []));
}

function checkContent(message: PromptMessage): string[] {
  if (message.role === 'system') return unless(message.content.trim() !== '', 'a blank system message');
  const blank = message.content.filter((part) => part.type === 'text' && !part.text.trim() && !part.providerOptions);
  return [
    ...unless(message.content.length > 0, `an empty ${message.role}`),
    ...unless(message.content.at(-1)?.type !== 'reasoning', 'a thought at the end'),
    ...blank.map(() => 'a blank text'),
  ];
}

/** Checks that the next message answers each call once, in order. */
function checkAnswers(message: PromptMessage, next: PromptMessage | undefined): string[] {
  const calls = callsOf(message);
  if (calls.length === 0) return [];
  const answers =
    next?.role === 'tool' ? next.content.flatMap((part) => (part.type === 'tool-result' ? part.toolCallId : [])) : [];
  return unless(answers.join() === calls.join(), `calls ${calls.join()} answered by ${answers.join()}`);
}
