import { isBuiltin, type ResolveHookContext, registerHooks } from 'node:module';

const ROOT = new URL('../../../', import.meta.url).href;
const OURS = /^pawl(?:\/|$)/;
const PATH = /^(?:\.{0,2}\/|#|[a-z][a-z0-9+.-]*:)/i;

let lent = false;

/**
 * Lets modules outside this package import `pawl/tools`, and what is installed here (zod) where they have no own copy.
 * `pawl/…` is always ours: a failure thrown by a tool must be of the class that is caught here.
 */
export function lendPackages(): void {
  if (lent) return;
  lent = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!isBare(specifier) || isOurOwn(context)) return nextResolve(specifier, context);
      const fromHere = { ...context, parentURL: `${ROOT}package.json` };
      if (OURS.test(specifier)) return nextResolve(specifier, fromHere);
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        return resolveOr(error, () => nextResolve(specifier, fromHere));
      }
    },
  });
}

function isBare(specifier: string): boolean {
  return !isBuiltin(specifier) && !PATH.test(specifier);
}

function isOurOwn({ parentURL }: ResolveHookContext): boolean {
  return parentURL === undefined || parentURL.startsWith(ROOT);
}

/** The first failure is the one that makes sense to the reader: it names the module that imports. */
function resolveOr<Value>(failure: unknown, again: () => Value): Value {
  try {
    return again();
  } catch {
    throw failure;
  }
}
