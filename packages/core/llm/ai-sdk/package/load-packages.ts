import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Misconfigured } from '../../../failure.ts';
import { isRecord } from '../../../json.ts';

/** A provider of `PAWL_PROVIDERS` that is a package: which one, and what of it makes the provider. */
export type PackageName = { name: string; module: string; exported: string };

/** What a package has to make its provider with. */
export type MakePackage = (options: Record<string, unknown>) => unknown;

/** The packages that providers of `PAWL_PROVIDERS` are made with, by the names of these providers. */
export type LoadedPackages = ReadonlyMap<string, MakePackage>;

/**
 * The functions that the named packages make their providers with, by the names of the providers. A package is looked for
 * from the folder that Pawl was started in, then among Pawl's own. One that is not there, or lacks the function, is a
 * `Misconfigured`. Where none is named nothing is loaded.
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
  const problem = make === undefined ? 'the package exports nothing of this name' : 'this is no function';
  throw new Misconfigured(`PAWL_PROVIDERS.${name}.export: ${problem}. Name the function that makes a provider.${hint}`);
}

/** The file that an `import` of the package would load. */
function findPackage(name: string, module: string, folder: string): string {
  for (const from of [join(folder, 'package.json'), import.meta.filename]) {
    try {
      return resolveAsImport(module, from);
    } catch (error) {
      if (codeOf(error) !== 'MODULE_NOT_FOUND') throw unloadable(name, error);
    }
  }
  throw new Misconfigured(
    `PAWL_PROVIDERS.${name}.module: this package is not installed. Install it with npm in the folder that Pawl is started in.`,
  );
}

/** Packages may be made for `import` alone, which a plain `require.resolve` would not find. */
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

/** Without the error's own message, in which paths and settings may stand. */
function unloadable(name: string, error: unknown): Misconfigured {
  const reason = codeOf(error) ?? (error instanceof Error ? error.name : typeof error);
  return new Misconfigured(`PAWL_PROVIDERS.${name}.module: this package could not be loaded (${reason}).`);
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
