import { existsSync } from 'node:fs';
import { isBuiltin, type ResolveHookContext, registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Misconfigured } from '../failure.ts';
import { isRecord } from '../json.ts';
import { checkDefinitions, type ToolRules } from './define/check.ts';
import type { ServerTool } from './define/tool.ts';
import { type ToolRegistry, toolRegistry } from './registry.ts';

const DEFAULT_FILE = 'tools.ts';

/**
 * Loads the tools of PAWL_TOOLS, or of an existing `./tools.ts`. A `Misconfigured` names the file, the tool and the
 * rule.
 */
export async function loadTools(path: string | undefined, rules: ToolRules = 'strict'): Promise<ToolRegistry> {
  const file = resolve(path || DEFAULT_FILE);
  if (!existsSync(file)) {
    if (!path) return toolRegistry([]);
    throw new Misconfigured(`PAWL_TOOLS names ${file}, which does not exist.`);
  }
  const tools = toolsIn(await importTools(file), file);
  await refuseProblems(tools, file, rules);
  return toolRegistry(tools);
}

async function importTools(file: string): Promise<unknown> {
  sharePackages();
  try {
    const loaded: unknown = await import(pathToFileURL(file).href);
    return isRecord(loaded) ? loaded.default : undefined;
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    const location = locationOf(error instanceof Error ? error.stack : undefined, file);
    throw new Misconfigured(`${location} could not be loaded: ${sentence}`);
  }
}

/** Returns the module and line that threw, or the file and line that cannot be parsed. */
function locationOf(stack: string | undefined, file: string): string {
  const unreadable = /^(?:file:\/\/)?(\/.+:\d+)\n/.exec(stack ?? '')?.[1];
  if (unreadable) return unreadable;
  const [, ...rest] = (stack ?? '').split(pathToFileURL(file).href);
  return file + (rest.map((text) => /^:\d+/.exec(text)?.[0]).find((line) => line !== undefined) ?? '');
}

function toolsIn(list: unknown, file: string): ServerTool[] {
  if (!Array.isArray(list)) {
    throw new Misconfigured(
      `${file}: the default export is not a list of tools. Export a list, as in "export default [getWeather]".`,
    );
  }
  return list.map((tool: unknown, index) => {
    if (isServerTool(tool)) return tool;
    throw new Misconfigured(`${file}: tools[${index}] is not a tool. Create it with defineTool from "pawl/tools".`);
  });
}

async function refuseProblems(tools: ServerTool[], file: string, rules: ToolRules): Promise<void> {
  const definitions = tools.map((tool) => tool.definition);
  const sentences = (await checkDefinitions(definitions, rules)).map(({ path, message }) => {
    const index = Number(/^tools\[(\d+)\]/.exec(path)?.[1]);
    const location = locationOf(tools[index]?.definedAt, file);
    return `${location}: ${path} (${definitions[index]?.name}): ${message}`;
  });
  if (sentences.length > 0) throw new Misconfigured(sentences.join('\n'));
}

function isServerTool(value: unknown): value is ServerTool {
  return isRecord(value) && isRecord(value.definition) && typeof value.run === 'function';
}

const ROOT = new URL('../../../', import.meta.url).href;
const OWN_NAME = /^pawl(?:\/|$)/;
const FILE_OR_URL = /^(?:\.{0,2}\/|#|[a-z][a-z0-9+.-]*:)/i;

let isShared = false;

/**
 * Lets modules outside this package import `pawl/tools` and, if they have no copy, the packages installed here (zod).
 * `pawl/…` always resolves to this package, so that a tool throws the failure class that this package catches.
 */
function sharePackages(): void {
  if (isShared) return;
  isShared = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!isBare(specifier) || isInside(context)) return nextResolve(specifier, context);
      const fromHere = { ...context, parentURL: `${ROOT}package.json` };
      if (OWN_NAME.test(specifier)) return nextResolve(specifier, fromHere);
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        return resolveOr(error, () => nextResolve(specifier, fromHere));
      }
    },
  });
}

function isBare(specifier: string): boolean {
  return !isBuiltin(specifier) && !FILE_OR_URL.test(specifier);
}

function isInside({ parentURL }: ResolveHookContext): boolean {
  return parentURL === undefined || parentURL.startsWith(ROOT);
}

/** Throws the first failure, which names the importing module. */
function resolveOr<Value>(failure: unknown, again: () => Value): Value {
  try {
    return again();
  } catch {
    throw failure;
  }
}
