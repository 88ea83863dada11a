import { isRecord } from '../json.ts';
import type { Schema } from './parts.ts';

/** Returns the steps of a pointer such as `#/$defs/name`, or null for anything else. */
export function stepsOf(reference: unknown): string[] | null {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return null;
  return reference.split('/').slice(1).map(unescapeStep);
}

export function pointerOf(steps: readonly string[]): string {
  return ['#', ...steps.map(escapeStep)].join('/');
}

/** Returns the schema at a pointer such as `#/$defs/name`, or undefined if there is none. */
export function targetOf(reference: unknown, root: Schema): Schema | undefined {
  const target = stepsOf(reference)?.reduce<unknown>(stepInto, root);
  return isRecord(target) ? target : undefined;
}

export function stepInto(at: unknown, step: string): unknown {
  return typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined;
}

function unescapeStep(step: string): string {
  return decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$');
}
