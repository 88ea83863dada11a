import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { runCli } from '#cli/run-cli.ts';

/** Opens a chat over a pipe, with the typed lines and the shown text. */
export function openChat(url: string, args: string[] = ['--model', 'openai/test']) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const interrupt = new AbortController();
  let output = '';
  stdout.on('data', (chunk) => {
    output += stripVTControlCharacters(String(chunk));
  });
  const cli = { env: { PAWL_URL: url }, stdin, stdout, stderr, signal: interrupt.signal };
  const exitCode = runCli(['chat', ...args], cli);
  const complaints = text(stderr);
  return {
    shown: () => output,
    say: (line: string) => void stdin.write(`${line}\n`),
    /** Resolves when the text has been shown. */
    sees: async (text: string) => {
      while (!output.includes(text)) await once(stdout, 'data');
    },
    interrupt: () => interrupt.abort(),
    complaints: () => {
      stderr.end();
      return complaints;
    },
    end: async () => {
      stdin.end();
      return { exitCode: await exitCode, lines: output.trimEnd().split('\n') };
    },
  };
}
