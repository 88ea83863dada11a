import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  flushCompileCache,
  type LoadFnOutput,
  type ResolveFnOutput,
  registerHooks,
  stripTypeScriptTypes,
} from 'node:module';
import { deserialize, serialize } from 'node:v8';

/**
 * The modules that the first process resolved and read. Later processes reuse them, since loading takes most of the
 * time of a process that soon dies. The modules and their names are the same.
 */
type Modules = { found: Record<string, ResolveFnOutput>; read: Record<string, LoadFnOutput> };

const { MODULES = '' } = process.env;
const isKept = existsSync(MODULES);
const { found, read }: Modules = isKept ? deserialize(readFileSync(MODULES)) : { found: {}, read: {} };

registerHooks({
  resolve: (specifier, context, next) => {
    const key = [specifier, context.parentURL, ...context.conditions].join(' ');
    const known = found[key];
    if (known) return known;
    const { url, format } = next(specifier, context);
    const result = { url, ...(format && { format }), shortCircuit: true };
    if (!isKept) found[key] = result;
    return result;
  },
  load: (url, context, next) => {
    const known = read[url];
    if (known) return known;
    const result = next(url, context);
    const { format, source } = result;
    if (!isKept && source) read[url] = { ...withoutTypes(format, String(source)), shortCircuit: true };
    return result;
  },
});

/** Strips the types of a module, which takes longer than loading a module without types. */
function withoutTypes(format: LoadFnOutput['format'], source: string): Pick<LoadFnOutput, 'format' | 'source'> {
  if (format !== 'module-typescript') return { format, source };
  return { format: 'module', source: stripTypeScriptTypes(source) };
}

/** Saves the resolved, read and compiled modules of the first process for later processes. */
export function saveCachedModules(): void {
  if (isKept) return;
  writeFileSync(MODULES, serialize({ found, read } satisfies Modules));
  flushCompileCache();
}
