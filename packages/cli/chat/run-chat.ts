import { styleText } from 'node:util';
import type { Pawl } from '../../client/connect-pawl.ts';
import type { Cli } from '../cli.ts';
import { openTerminal } from './chat-terminal.ts';
import { makeView } from './chat-view.ts';
import { complain } from './follow-turns.ts';
import { type Chat, type ChatCommand, makeChat } from './make-chat.ts';
import { readLine } from './read-line.ts';
import { resumeChat } from './resume-chat.ts';

const EXIT_CODE = { fine: 0, ended: 1, waiting: 3, left: 130 };

/**
 * Chats in a conversation until the input ends, and returns the exit code. Running turns continue. Throws before any
 * output if the conversation does not exist. Shows later errors in the chat. The exit code reports them to scripts.
 */
export async function runChat(pawl: Pawl, command: ChatCommand, cli: Cli): Promise<number> {
  const { conversationId } = command;
  if (conversationId !== undefined) await pawl.conversations.get(conversationId, { signal: cli.signal });
  return chatOn(pawl, command, cli);
}

async function chatOn(pawl: Pawl, command: ChatCommand, cli: Cli): Promise<number> {
  let leave: (how: 'quit' | 'end') => void = () => {};
  const left = new Promise<'quit' | 'end'>((resolve) => {
    leave = resolve;
  });
  const closing = new AbortController();
  const signal = AbortSignal.any([cli.signal, closing.signal]);
  const view = makeView(() => terminal);
  let isRefused = false;
  const failed = (error: unknown) => {
    isRefused = true;
    complain(error, view);
  };
  const lines = inOrder(failed);
  const terminal = openTerminal(cli, {
    entered: view.settle,
    line: joinLines((text) => lines.add(() => takeLine(text))),
    interrupted: () => chat.stop() || leave('quit'),
    closed: () => leave(terminal.isTerminal ? 'quit' : 'end'),
  });
  const chat = makeChat(pawl, command, { view, terminal, signal, failed });
  cli.signal.addEventListener('abort', () => leave('quit'), { once: true });

  async function takeLine(text: string): Promise<void> {
    const line = readLine(text, { isAsked: (chat.turns.action()?.approvals.length ?? 0) > 0 });
    if (line.kind === 'quit') leave('quit');
    else await chat.take(line);
  }

  view.note('/help lists the commands.');
  lines.add(() => resumeChat(pawl, chat, view));
  if ((await left) === 'end') await lines.all().then(chat.turns.idle);
  terminal.close();
  const exitCode = leaveChat(chat, cli);
  closing.abort();
  return isRefused && !terminal.isTerminal && !cli.signal.aborted ? EXIT_CODE.ended : exitCode;
}

/** Joins a line that ends with a backslash to the next line. */
function joinLines(take: (text: string) => void): (line: string) => void {
  let begun = '';
  return (line) => {
    const text = begun + line;
    begun = text.endsWith('\\') ? `${text.slice(0, -1)}\n` : '';
    if (begun === '') take(text);
  };
}

/** Runs tasks in sequence. */
function inOrder(failed: (error: unknown) => void) {
  let done: Promise<void> = Promise.resolve();
  return {
    add: (work: () => Promise<void>) => {
      done = done.then(work).catch(failed);
    },
    all: () => done,
  };
}

/** Shows the command that resumes the chat. */
function leaveChat({ conversation, turns }: Chat, { stdout, signal }: Cli): number {
  const status = turns.status();
  const id = conversation()?.id;
  const goesOn = turns.current() ? 'The turn keeps running. ' : '';
  if (id) stdout.write(`${styleText('dim', `${goesOn}To continue: pawl chat ${id}`)}\n`);
  if (signal.aborted) return EXIT_CODE.left;
  if (status === 'waiting') return EXIT_CODE.waiting;
  return status === 'failed' ? EXIT_CODE.ended : EXIT_CODE.fine;
}
