import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { canonicalText } from '../../json.ts';
import type { Delta } from '../provider.ts';
import { boundReply } from '../unusable-reply.ts';
import type { FunctionCall, PartialArg } from './chunk.ts';

/** A call while it arrives: complete, or in chunks that announce further chunks. */
export type CallAccumulator = {
  id: string;
  name: string;
  args: Args;
  /** Whether further chunks were announced. */
  isOpen: boolean;
  /** The path of the text that the next chunk continues. */
  openPath: string | null;
  /** The index of the call among the stored parts. */
  keptAt: number;
  /** Whether a chunk did not fit into the arguments. */
  isBroken: boolean;
};

/** The effect of one chunk: the call that it started, if any, and the deltas for watchers. */
export type GatheredCall = { started: CallAccumulator | null; deltas: Delta[] };

/** Adds one chunk to the open call, or starts another. Deltas are empty until the arguments are complete. */
export function gatherCall(calls: CallAccumulator[], chunk: FunctionCall): GatheredCall {
  const last = calls.at(-1);
  const open = last?.isOpen && !chunk.name ? last : undefined;
  const known = open ? undefined : knownCall(calls, chunk);
  const isSilent = known ? isRepeated(known, chunk) : !open && isBlank(chunk);
  if (isSilent) return { started: null, deltas: [] };
  const more = open ?? bare(known);
  const call = more ?? startCall(calls, chunk);

  Object.assign(call.args, chunk.args ?? {});
  for (const partial of chunk.partialArgs) addPartial(call, partial);
  call.isOpen = chunk.willContinue;
  const text = call.isOpen ? '' : JSON.stringify(call.args);
  const delta: Delta = { kind: 'tool-arguments', index: calls.lastIndexOf(call), text };
  return { started: more ? null : call, deltas: [delta] };
}

function isBlank({ id, name, args, partialArgs }: FunctionCall): boolean {
  return !id && !name && !args && partialArgs.length === 0;
}

/** Returns a known call. Some gateways repeat a call with its id, complete or with missing arguments. */
function knownCall(calls: CallAccumulator[], { id, name, partialArgs }: FunctionCall): CallAccumulator | undefined {
  if (!id || partialArgs.length > 0) return undefined;
  return calls.findLast((call) => call.id === id && call.name === name && !call.isOpen);
}

function bare(call: CallAccumulator | undefined): CallAccumulator | undefined {
  return call && Object.keys(call.args).length === 0 ? call : undefined;
}

function isRepeated(known: CallAccumulator, { args }: FunctionCall): boolean {
  return canonicalText(known.args) === canonicalText(args ?? {});
}

function startCall(calls: CallAccumulator[], { id, name }: FunctionCall): CallAccumulator {
  const state = { isOpen: false, openPath: null, keptAt: -1, isBroken: false };
  const call = { id, name, args: startArgs(), ...state };
  boundReply(calls.push(call), REPLY_BOUNDS.calls, 'tool calls');
  return call;
}

function addPartial(call: CallAccumulator, partial: PartialArg): void {
  const fits = putArg(call.args, partial, call.openPath === partial.jsonPath);
  call.isBroken ||= !fits;
  call.openPath = partial.willContinue ? partial.jsonPath : null;
}

type Container = Record<string, unknown> | unknown[];
type Step = string | number;

/** Arguments under construction, without a prototype, so that any name is safe. */
type Args = Record<string, unknown>;

function startArgs(): Args {
  return Object.create(null);
}

/** Puts a value at its JSON path, or appends it to the text there. Returns false for an unusable path. */
function putArg(args: Args, { jsonPath, value }: PartialArg, continues: boolean): boolean {
  const steps = stepsOf(jsonPath);
  const last = steps?.at(-1);
  if (!steps || last === undefined) return false;
  boundReply(steps.length, REPLY_BOUNDS.depth, 'levels of JSON in the arguments of one call');
  const container = steps.slice(0, -1).reduce<Container | null>(
    // A number as the next step means a list.
    (at, step, index) => at && enter(at, step, typeof steps[index + 1] === 'number'),
    args,
  );
  if (!container || !fits(container, last)) return false;
  const before = continues ? read(container, last) : '';
  write(container, last, typeof value === 'string' && typeof before === 'string' ? before + value : value);
  return true;
}

const STEP = /\.([^.[\]'"]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;

/** Returns the steps of `$.a.b[0]['c d']`, or null for any other text. */
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
