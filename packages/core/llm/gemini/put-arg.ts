import { boundReply, REPLY_LIMITS } from '../reply-limits.ts';
import type { PartialArg } from './chunk.ts';

type Container = Record<string, unknown> | unknown[];
type Step = string | number;

/** Arguments under construction; without a prototype, so that any name is only a name. */
export type Args = Record<string, unknown>;

/** No arguments yet. */
export function startArgs(): Args {
  return Object.create(null);
}

/**
 * Puts one value where its JSON path says, or appends to the text already there. Answers whether it could: a path
 * nobody can follow, or one that leaves a hole in a list, is refused.
 */
export function putArg(args: Args, { jsonPath, ...value }: PartialArg, continues: boolean): boolean {
  const steps = stepsOf(jsonPath);
  const last = steps?.at(-1);
  if (!steps || last === undefined) return false;
  boundReply(steps.length, REPLY_LIMITS.depth, 'levels of JSON in the arguments of one call');
  const container = steps.slice(0, -1).reduce<Container | null>(
    // A list follows where the next step is a number.
    (at, step, index) => at && enter(at, step, typeof steps[index + 1] === 'number'),
    args,
  );
  if (!container || !fits(container, last)) return false;
  const before = continues ? read(container, last) : '';
  const { stringValue: text } = value;
  write(container, last, typeof text === 'string' && typeof before === 'string' ? before + text : plain(value));
  return true;
}

function plain({ stringValue, numberValue, boolValue }: Omit<PartialArg, 'jsonPath'>): unknown {
  return stringValue ?? numberValue ?? boolValue ?? null;
}

const STEP = /\.([^.[\]'"]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;

/** The steps of `$.a.b[0]['c d']`; null where it is no such path. */
function stepsOf(path: string): Step[] | null {
  if (!path.startsWith('$')) return null;
  const steps: Step[] = [];
  let end = 1;
  for (const [whole, name, index, single, double] of path.slice(1).matchAll(STEP)) {
    end += whole.length;
    const quoted = (single ?? double)?.replace(/\\(.)/g, '$1');
    steps.push(index === undefined ? (name ?? quoted ?? '') : Number(index));
  }
  return end === path.length ? steps : null;
}

function enter(container: Container, step: Step, isList: boolean): Container | null {
  if (!fits(container, step)) return null;
  const there = read(container, step);
  if (typeof there === 'object' && there !== null && Array.isArray(there) === isList) return there as Container;
  if (there !== undefined) return null;
  const fresh = isList ? [] : startArgs();
  write(container, step, fresh);
  return fresh;
}

function fits(container: Container, step: Step): boolean {
  return Array.isArray(container) ? typeof step === 'number' && step <= container.length : typeof step === 'string';
}

function read(container: Container, step: Step): unknown {
  return (container as Args)[step];
}

function write(container: Container, step: Step, value: unknown): void {
  (container as Args)[step] = value;
}
