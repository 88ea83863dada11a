import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { flushCompileCache, type LoadFnOutput, type ResolveFnOutput, registerHooks } from 'node:module';
import { deserialize, serialize } from 'node:v8';

/**
 * What the first process found and read when it loaded its modules: the next ones have it at once, for loading is most
 * of what a process costs that soon dies. The modules are the same, and so are their names.
 */
type Modules = { found: Record<string, ResolveFnOutput>; read: Record<string, LoadFnOutput> };

const { MODULES = '' } = process.env;
const isKept = existsSync(MODULES);
const { found, read }: Modules = isKept ? deserialize(readFileSync(MODULES)) : { found: {}, read: {} };

registerHooks({
  resolve: (specifier, context, next) => {
    const place = [specifier, context.parentURL, ...context.conditions].join(' ');
    const known = found[place];
    if (known) return known;
    const { url, format } = next(specifier, context);
    const result = { url, ...(format && { format }), shortCircuit: true };
    if (!isKept) found[place] = result;
    return result;
  },
  load: (url, context, next) => {
    const known = read[url];
    if (known) return known;
    const result = next(url, context);
    const { format, source } = result;
    if (!isKept && source) read[url] = { format, source: String(source), shortCircuit: true };
    return result;
  },
});

/** Keeps what the first process found, read and compiled for those that start from now on. */
export function keepModules(): void {
  if (isKept) return;
  writeFileSync(MODULES, serialize({ found, read } satisfies Modules));
  flushCompileCache();
}
