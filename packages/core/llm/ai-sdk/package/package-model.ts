import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { Misconfigured } from '../../../failure.ts';
import type { MakePackage } from './load-packages.ts';

/** A model of a package, in a supported version of the AI SDK's interface. */
export type PackageModel = LanguageModelV3 | LanguageModelV4;

/** The supported versions, the current version first. */
const VERSIONS = ['v4', 'v3'] as const;
export type InterfaceVersion = (typeof VERSIONS)[number];

export type PackageProvider = {
  /** Null if only the models name their version. */
  version: InterfaceVersion | null;
  /** Returns the model of that name, or null if the package returns another value or version. */
  modelOf(model: string): PackageModel | null;
};

/**
 * Creates the provider of a package. Throws a `Misconfigured` that names the field of a problem, and never its value.
 */
export function makePackage(name: string, make: MakePackage, options: Record<string, unknown>): PackageProvider {
  const provider = callMaker(name, make, options);
  if (!hasModels(provider)) {
    throw new Misconfigured(
      `PAWL_PROVIDERS.${name}.export: this function does not return a provider of the AI SDK (languageModel() is missing). Name another function.`,
    );
  }
  const stated = 'specificationVersion' in provider ? provider.specificationVersion : versionOfAny(provider);
  const version = VERSIONS.find((each) => each === stated) ?? null;
  if (!version && typeof stated === 'string') {
    throw new Misconfigured(
      `PAWL_PROVIDERS.${name}.module: this package implements version ${stated.slice(0, 20)} of the AI SDK's interface. ` +
        `Pawl supports ${VERSIONS.join(' and ')}. Install another version of the package.`,
    );
  }
  return {
    version,
    modelOf(model) {
      const found = provider.languageModel(model);
      return isModel(found) ? found : null;
    },
  };
}

function callMaker(name: string, make: MakePackage, options: Record<string, unknown>): unknown {
  try {
    return make(options);
  } catch (error) {
    // The message may quote an option. Errors about a missing key or setting contain no value.
    const isMissing = error instanceof Error && /^AI_Load(APIKey|Setting)Error$/.test(error.name);
    const reason = error instanceof Error ? error.name : typeof error;
    const said = isMissing ? `: ${error.message.slice(0, 300)}` : ` (${reason}).`;
    throw new Misconfigured(`PAWL_PROVIDERS.${name}.options: the package refused the options${said}`);
  }
}

type Models = { languageModel(model: string): unknown };

function hasModels(provider: unknown): provider is Models {
  const mayHave = (typeof provider === 'object' && provider !== null) || typeof provider === 'function';
  return mayHave && 'languageModel' in provider && typeof provider.languageModel === 'function';
}

/** Returns the version of a model, for older packages with a provider that has no version. */
function versionOfAny(provider: Models): unknown {
  try {
    const model = provider.languageModel('any-model');
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
