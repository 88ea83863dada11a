import type { SharedV3Warning, SharedV4Warning } from '@ai-sdk/provider';
import { quoteProvider } from '../../errors/name-failure.ts';

/** A package's warning as a sentence for the caller, in one line. */
export function wordWarning(provider: string, warning: SharedV3Warning | SharedV4Warning): string {
  return quoteProvider(`${provider}: ${meaning(warning)}`);
}

function meaning(warning: SharedV3Warning | SharedV4Warning): string {
  switch (warning.type) {
    case 'unsupported':
      return `${warning.feature} is not supported${because(warning.details)}`;
    case 'compatibility':
      return `${warning.feature} is only imitated${because(warning.details)}`;
    case 'deprecated':
      return `${warning.setting} is deprecated${because(warning.message)}`;
    case 'other':
      return warning.message;
  }
}

function because(details: string | undefined): string {
  return details ? `: ${details}` : '';
}
