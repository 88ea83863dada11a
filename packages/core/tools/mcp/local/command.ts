import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import spawn from 'cross-spawn';

/** A command that speaks MCP. `env` is its complete environment. `onOutput` gets its standard error. */
export type LocalCommand = {
  command: string;
  args: string[];
  env: Record<string, string>;
  onOutput: (output: Readable) => void;
};

/** A running command and its pipes. */
export type Command = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };

const IS_WINDOWS = process.platform === 'win32';
/** How long a command may run after the end of its input, and again after SIGTERM. */
const END_TIMEOUT_MS = 2_000;
/** How long other processes may hold the pipes of a command that has exited. */
const PIPE_TIMEOUT_MS = 2_000;

/** Starts a command as the head of a process group. Rejects if it cannot be started. */
export async function startCommand({ command, args, env, onOutput }: LocalCommand): Promise<Command> {
  const options = { env, stdio: 'pipe' as const, windowsHide: true, detached: !IS_WINDOWS };
  const child = spawn(command, args, options) as Command;
  await once(child, 'spawn');
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.once('exit', () => void endPipes(child));
  onOutput(child.stderr);
  return child;
}

async function endPipes(child: Command): Promise<void> {
  endGroup(child, 'SIGKILL');
  await wait(PIPE_TIMEOUT_MS, undefined, { ref: false });
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
}

/** Ends a command: by the end of its input, after 2 s by SIGTERM, and after 2 s more by SIGKILL. */
export async function endCommand(child: Command): Promise<void> {
  if (hasExited(child)) return;
  const exited = once(child, 'exit');
  child.stdin.end();
  child.stdout.resume();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (await isOver(exited)) return;
    endGroup(child, signal);
  }
  await exited;
}

async function isOver(exited: Promise<unknown>): Promise<boolean> {
  const late = wait(END_TIMEOUT_MS, false, { ref: false });
  return Promise.race([exited.then(() => true), late]);
}

/** Sends a signal to all processes of a command. */
export function endGroup({ pid }: Command, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(IS_WINDOWS ? pid : -pid, signal);
  } catch {
    // All processes of the group have ended.
  }
}

/** Writes a message as a line. Rejects if the command has ended. */
export async function writeMessage(command: Command | undefined, message: JSONRPCMessage): Promise<void> {
  requireOpen(command);
  if (!command.stdin.write(`${JSON.stringify(message)}\n`)) await once(command.stdin, 'drain');
}

/** Throws if a command has ended, so that it cannot receive messages. */
export function requireOpen(command: Command | undefined): asserts command is Command {
  if (!command?.stdin.writable || hasExited(command)) throw new Error('the command has ended');
}

/** Returns whether the command itself has ended. Other processes of its group may still run. */
export function hasExited({ exitCode, signalCode }: Command): boolean {
  return exitCode !== null || signalCode !== null;
}
