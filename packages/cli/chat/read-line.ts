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
export const chatHelp = `A line that you type during an answer joins it: the model reads it in its next round.
/wait <text>     Send the text after this answer, as the next turn.
/stop            Stop the answer. With /stop <text>, send the text instead.
/retry           Continue a failed turn from its last checkpoint.
/output <value>  Answer a call that waits for its client, with a text or JSON.
/quit            Leave the chat. A running turn continues.
Put a space before a text that begins with a slash.
To allow a call: y. To deny it: n, or n and a reason. To change its arguments: e,
or the arguments as JSON. A line that ends with \\ continues in the next line.
Ctrl-C clears the line, stops the answer, or leaves the chat. Ctrl-D leaves it.`;

/** Reads a line. If the chat asks whether a call is allowed, `y`, `n` and JSON answer the question. */
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
  if (given === undefined) return { kind: 'misused', problem: 'This is not valid JSON. The call still waits.' };
  // JSON that begins with a brace is an object.
  return { kind: 'allow', arguments: given as Record<string, unknown> };
}

function readCommand(text: string): Line {
  const [, command = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  switch (command) {
    case '/wait':
      return rest
        ? { kind: 'wait', text: rest }
        : { kind: 'misused', problem: 'The text is missing. Write /wait And in Rome?' };
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
  return { kind: 'misused', problem: `Unknown command ${command}. /help lists the commands.` };
}

const NO_OUTPUT = 'The output is missing. Write /output 22 °C, or /output {"celsius": 22}';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
