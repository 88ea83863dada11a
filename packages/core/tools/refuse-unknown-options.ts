import type { z } from 'zod';
import { Misconfigured } from '../failure.ts';
import type { ToolOptions } from './define-tool.ts';

/** Every option of a tool, and the options within it. */
const OPTIONS: Record<keyof ToolOptions<z.ZodObject, z.ZodType>, readonly string[]> = {
  name: [],
  description: [],
  input: [],
  output: [],
  effect: [],
  timeoutMs: [],
  retry: ['maxAttempts', 'backoffMs'],
  approval: [],
  expiresInSeconds: [],
  cacheTtlSeconds: [],
  rateLimit: ['max', 'perSeconds'],
  capabilities: [],
  statusText: [],
  execute: [],
};

/** Node runs a module of tools without checking its types, so a misspelled rule would be no rule. Throws `Misconfigured`. */
export function refuseUnknownOptions({ name, ...options }: Record<string, unknown>): void {
  for (const [option, value] of Object.entries(options)) {
    refuseUnknown(`Tool "${name}"`, option, Object.keys(OPTIONS));
    const within = Object.entries(OPTIONS).find(([known]) => known === option)?.[1] ?? [];
    if (within.length === 0 || typeof value !== 'object' || value === null) continue;
    for (const inner of Object.keys(value)) refuseUnknown(`Tool "${name}": ${option}`, inner, within);
  }
}

function refuseUnknown(owner: string, option: string, known: readonly string[]): void {
  if (known.includes(option)) return;
  const meant = option.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const advice = known.includes(meant) ? `Write ${meant}.` : `There are: ${known.join(', ')}.`;
  throw new Misconfigured(`${owner} has no option "${option}". ${advice}`);
}
