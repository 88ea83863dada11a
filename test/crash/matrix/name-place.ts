const VERB = /\/packages\/core\/checkpoint\/([\w-]+)\.ts/;
const CALLER = /\/services\/(?:[\w-]+\/)+([\w-]+)\.ts/;

/** Verbs that carry other verbs' statements, and say nothing of which it is. */
const CARRIERS = new Set([
  'persist',
  'connect',
  'pooled-dialect',
  'group-commit',
  'open-pool',
  'open-connection',
  'row-set',
]);

/** Where in our code a statement is sent from: who calls, then the verbs, as in `commit-round › end-turn`. */
export function namePlace(stack: string): string {
  const verbs: string[] = [];
  for (const line of stack.split('\n')) {
    const verb = VERB.exec(line)?.[1];
    const caller = CALLER.exec(line)?.[1];
    if (verb && !CARRIERS.has(verb) && verbs[0] !== verb) verbs.unshift(verb);
    if (caller) return [caller, ...verbs].join(' › ');
  }
  return verbs.join(' › ');
}
