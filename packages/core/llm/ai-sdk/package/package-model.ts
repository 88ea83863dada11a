import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { Misconfigured } from '../../../failure.ts';
import type { MakePackage } from './load-packages.ts';

/** A model of a package, in one of the two versions of the AI SDK's interface that are spoken here. */
export type PackageModel = LanguageModelV3 | LanguageModelV4;

/** The versions, the current one first. */
const VERSIONS = ['v4', 'v3'] as const;
export type InterfaceVersion = (typeof VERSIONS)[number];

/** A provider as a package made it. */
export type MadePackage = {
  /** Null where only its models tell. */
  version: InterfaceVersion | null;
  /** The model of that name; null where the package answers something else, or one of another version. */
  modelOf(model: string): PackageModel | null;
};

/** Makes the provider of a package; a `Misconfigured` names the field where that fails, and never its value. */
export function makePackage(name: string, make: MakePackage, options: Record<string, unknown>): MadePackage {
  const made = callMaker(name, make, options);
  if (!hasModels(made)) {
    throw new Misconfigured(
      `PAWL_PROVIDERS.${name}.export: what this function makes is no provider of the AI SDK: it has no languageModel().`,
    );
  }
  const told = 'specificationVersion' in made ? made.specificationVersion : versionOfAny(made);
  const version = VERSIONS.find((each) => each === told) ?? null;
  if (!version && typeof told === 'string') {
    throw new Misconfigured(
      `PAWL_PROVIDERS.${name}.module: this package speaks version ${told.slice(0, 20)} of the AI SDK's interface, ` +
        `Pawl speaks ${VERSIONS.join(' and ')}. Install a version of the package that does.`,
    );
  }
  return {
    version,
    modelOf(model) {
      const found = made.languageModel(model);
      return isModel(found) ? found : null;
    },
  };
}

function callMaker(name: string, make: MakePackage, options: Record<string, unknown>): unknown {
  try {
    return make(options);
  } catch (error) {
    // What it says may quote an option; a missing key or setting is named without its value.
    const isMissing = error instanceof Error && /^AI_Load(APIKey|Setting)Error$/.test(error.name);
    const reason = error instanceof Error ? error.name : typeof error;
    const said = isMissing ? `: ${error.message.slice(0, 300)}` : ` (${reason}).`;
    throw new Misconfigured(`PAWL_PROVIDERS.${name}.options: the package refuses them${said}`);
  }
}

type Models = { languageModel(model: string): unknown };

function hasModels(made: unknown): made is Models {
  const mayHave = (typeof made === 'object' && made !== null) || typeof made === 'function';
  return mayHave && 'languageModel' in made && typeof made.languageModel === 'function';
}

/** What any of its models says, for packages of an age when providers said nothing themselves. */
function versionOfAny(made: Models): unknown {
  try {
    const model = made.languageModel('any-model');
    return typeof model === 'object' && model !== null && 'specificationVersion' in model
      ? model.specificationVersion
      : null;
  } catch {
    return null;
  }
}

function isModel(found: unknown): found is PackageModel {
  if (typeof found !== 'object' || found === null) return false;
  const isSpoken = 'specificationVersion' in found && VERSIONS.some((each) => each === found.specificationVersion);
  return isSpoken && 'doStream' in found && typeof found.doStream === 'function';
}
