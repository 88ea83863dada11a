import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Misconfigured } from '../failure.ts';
import { checkDefinitions, type ToolRules } from './check-definition.ts';
import type { ServerTool } from './define-tool.ts';
import { lendPackages } from './lend-packages.ts';
import { type ToolRegistry, toolRegistry } from './tool-registry.ts';

const DEFAULT_FILE = 'tools.ts';

/**
 * The tools of the module at `path` (PAWL_TOOLS), else of `./tools.ts` if it exists, else none.
 * Throws `Misconfigured` naming the file, the tool and the rule.
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
  lendPackages();
  try {
    const loaded: unknown = await import(pathToFileURL(file).href);
    return isRecord(loaded) ? loaded.default : undefined;
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    const place = placeOf(error instanceof Error ? error.stack : undefined, file);
    throw new Misconfigured(`${place} could not be loaded: ${sentence}`);
  }
}

/** The module with the line at which it threw; of a file that cannot be read, be it the module or an import, the line. */
function placeOf(stack: string | undefined, file: string): string {
  const unreadable = /^(?:file:\/\/)?(\/.+:\d+)\n/.exec(stack ?? '')?.[1];
  if (unreadable) return unreadable;
  const [, ...behind] = (stack ?? '').split(pathToFileURL(file).href);
  return file + (behind.map((text) => /^:\d+/.exec(text)?.[0]).find((line) => line !== undefined) ?? '');
}

function toolsIn(list: unknown, file: string): ServerTool[] {
  if (!Array.isArray(list)) {
    throw new Misconfigured(`${file}: export the list of tools as default, as in "export default [getWeather]".`);
  }
  return list.map((tool: unknown, index) => {
    if (isServerTool(tool)) return tool;
    throw new Misconfigured(`${file}: tools[${index}] is no tool; make it with defineTool from "pawl/tools".`);
  });
}

async function refuseProblems(tools: ServerTool[], file: string, rules: ToolRules): Promise<void> {
  const definitions = tools.map((tool) => tool.definition);
  const sentences = (await checkDefinitions(definitions, rules)).map(({ path, message }) => {
    const index = Number(/^tools\[(\d+)\]/.exec(path)?.[1]);
    const place = placeOf(tools[index]?.definedAt, file);
    return `${place}: ${path} (${definitions[index]?.name}): ${message}`;
  });
  if (sentences.length > 0) throw new Misconfigured(sentences.join('\n'));
}

function isServerTool(value: unknown): value is ServerTool {
  return isRecord(value) && isRecord(value.definition) && typeof value.run === 'function';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
