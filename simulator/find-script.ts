import { z } from 'zod';
import { Script } from './script.ts';

/** What the user's words hold: no script at all, one that can be played, or one that is wrong in `param`. */
export type FoundScript =
  | { kind: 'none' }
  | { kind: 'script'; script: Script }
  | { kind: 'broken'; param: string; message: string };

const Envelope = z.object({ sim: z.unknown() });

/** Finds the script in the user's words: the whole text, a fenced block, or the first `{"sim":` object in prose. */
export function findScript(words: string): FoundScript {
  if (!words.includes('"sim"')) return { kind: 'none' };

  const whole = parseJson(words) ?? parseJson(/```(?:json)?\s*([\s\S]*?)```/.exec(words)?.[1]);
  const envelope = Envelope.safeParse(whole);
  if (envelope.success) return readScript(envelope.data.sim);

  const start = words.search(/\{\s*"sim"\s*:/);
  if (start < 0) return { kind: 'none' };
  const object = Envelope.safeParse(parseJson(balancedObject(words.slice(start))));
  if (object.success) return readScript(object.data.sim);
  return { kind: 'broken', param: 'sim', message: 'the object that starts with {"sim": is not valid JSON' };
}

function readScript(sim: unknown): FoundScript {
  const parsed = Script.safeParse(sim);
  if (parsed.success) return { kind: 'script', script: parsed.data };
  const issue = parsed.error.issues[0];
  return { kind: 'broken', param: pathName(issue?.path ?? []), message: issue?.message ?? 'unreadable' };
}

function pathName(path: PropertyKey[]): string {
  return `sim${path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')}`;
}

function parseJson(text: string | undefined): unknown {
  if (!text?.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object that starts at the first character, up to its own closing brace; braces inside strings do not count. */
function balancedObject(text: string): string {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth === 0) return text.slice(0, index + 1);
  }
  return text;
}
