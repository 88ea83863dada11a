import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Misconfigured } from '../../../failure.ts';
import { isRecord } from '../../../json.ts';

/** A provider of `PAWL_PROVIDERS` that is a package: its module, and the export that creates the provider. */
export type PackageName = { name: string; module: string; exported: string };

export type MakePackage = (options: Record<string, unknown>) => unknown;

/** The functions that create the providers of `PAWL_PROVIDERS`, by the names of these providers. */
export type LoadedPackages = ReadonlyMap<string, MakePackage>;

/**
 * Returns the functions that create the named providers, by the names of the providers. Searches for a package from
 * the working directory, then among Pawl's own. Throws a `Misconfigured` if a package or its function is missing.
 */
export async function loadPackages(named: PackageName[], folder = process.cwd()): Promise<Map<string, MakePackage>> {
  const loaded = named.map(async (each): Promise<[string, MakePackage]> => [each.name, await load(each, folder)]);
  return new Map(await Promise.all(loaded));
}

async function load({ name, module, exported }: PackageName, folder: string): Promise<MakePackage> {
  const found = await importFile(name, findPackage(name, module, folder));
  const make = Object.hasOwn(found, exported) ? found[exported] : undefined;
  if (typeof make === 'function') return make as MakePackage;
  const makers = Object.keys(found).filter((each) => /^create[A-Z]/.test(each) && typeof found[each] === 'function');
  const hint = makers.length > 0 ? ` It has ${makers.slice(0, 10).join(', ')}.` : '';
  const problem = make === undefined ? 'the package has no export of this name' : 'this export is not a function';
  throw new Misconfigured(`PAWL_PROVIDERS.${name}.export: ${problem}. Name the function that makes a provider.${hint}`);
}

/** Returns the file that an `import` of the package would load. */
function findPackage(name: string, module: string, folder: string): string {
  for (const from of [join(folder, 'package.json'), import.meta.filename]) {
    try {
      return resolveAsImport(module, from);
    } catch (error) {
      if (codeOf(error) !== 'MODULE_NOT_FOUND') throw unloadable(name, error);
    }
  }
  throw new Misconfigured(
    `PAWL_PROVIDERS.${name}.module: this package is not installed. Install it with npm in the working directory of Pawl.`,
  );
}

/** Resolves as `import` does, since `require.resolve` does not find a package without a CommonJS entry. */
function resolveAsImport(module: string, from: string): string {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ['node', 'import', 'module-sync', 'default'] }),
  });
  try {
    return createRequire(from).resolve(module);
  } finally {
    hooks.deregister();
  }
}

async function importFile(name: string, file: string): Promise<Record<string, unknown>> {
  try {
    const found: unknown = await import(pathToFileURL(file).href);
    return isRecord(found) ? found : {};
  } catch (error) {
    throw unloadable(name, error);
  }
}

/** Omits the error's own message, which may contain paths and settings. */
function unloadable(name: string, error: unknown): Misconfigured {
  const reason = codeOf(error) ?? (error instanceof Error ? error.name : typeof error);
  return new Misconfigured(`PAWL_PROVIDERS.${name}.module: this package could not be loaded (${reason}).`);
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
