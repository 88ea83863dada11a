/** What a line of a chat asks for. */
export type Line =
  | { kind: 'text'; text: string }
  | { kind: 'wait'; text: string }
  | { kind: 'stop'; text: string | undefined }
  | { kind: 'allow'; arguments?: Record<string, unknown> }
  | { kind: 'deny'; reason: string | undefined }
  | { kind: 'edit' }
  | { kind: 'output'; output: unknown }
  | { kind: 'retry' | 'help' | 'quit' | 'nothing' }
  | { kind: 'misused'; problem: string };

/** The text of `/help`. */
export const chatHelp = `What you type while an answer is written joins it: the model reads it in its next round.
/wait <text>     say it after this answer instead, as the next turn
/stop            stop the answer; /stop <text> goes on with that instead
/retry           let a turn that failed go on from its last checkpoint
/output <value>  answer a call that waits for its client, by a text or JSON
/quit            leave; what is at work goes on
A text that begins with a slash has a space before it.
Asked whether a call is allowed: y · n, or n and why · e to edit its arguments,
or other arguments as JSON. A line that ends with \\ goes on in the next one.
Ctrl-C clears the line, stops the answer, or leaves; Ctrl-D leaves.`;

/** Reads a line. Where the chat asks whether a call is allowed, `y`, `n` and JSON answer that. */
export function readLine(line: string, { isAsked }: { isAsked: boolean }): Line {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  const answer = isAsked ? readAnswer(text) : undefined;
  if (answer) return answer;
  return line.startsWith('/') ? readCommand(text) : { kind: 'text', text };
}

function readAnswer(text: string): Line | undefined {
  if (/^y(es)?$/i.test(text)) return { kind: 'allow' };
  if (/^e(dit)?$/i.test(text)) return { kind: 'edit' };
  const denied = /^no?(?:[,:]?\s+(.*))?$/is.exec(text);
  if (denied) return { kind: 'deny', reason: denied[1] || undefined };
  if (!text.startsWith('{')) return undefined;
  const given = parseJson(text);
  if (given === undefined) return { kind: 'misused', problem: 'This is no valid JSON; nothing was decided.' };
  // What begins with a brace and is JSON is an object.
  return { kind: 'allow', arguments: given as Record<string, unknown> };
}

function readCommand(text: string): Line {
  const [, command = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  switch (command) {
    case '/wait':
      return rest ? { kind: 'wait', text: rest } : { kind: 'misused', problem: 'Say what: /wait And in Rome?' };
    case '/stop':
      return { kind: 'stop', text: rest || undefined };
    case '/output':
      return rest ? { kind: 'output', output: parseJson(rest) ?? rest } : { kind: 'misused', problem: NO_OUTPUT };
    case '/retry':
    case '/help':
      return { kind: command === '/help' ? 'help' : 'retry' };
    case '/quit':
    case '/exit':
      return { kind: 'quit' };
  }
  return { kind: 'misused', problem: `There is no ${command}; /help lists what there is.` };
}

const NO_OUTPUT = 'Say what came out: /output 22 °C, or /output {"celsius": 22}';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
