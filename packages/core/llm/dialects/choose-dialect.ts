import type { TurnConfig } from '../../turn/turn-request.ts';
import type { Provider } from '../provider.ts';
import { emulateTools } from './emulated/emulate-tools.ts';
import { readInline } from './inline/read-inline.ts';

/** How a provider is asked in a tool mode (docs/tool-modes.md); the provider itself where it calls tools natively. */
export function chooseDialect(mode: TurnConfig['tool_mode'], provider: Pick<Provider, 'ask'>): Pick<Provider, 'ask'> {
  switch (mode) {
    case 'native':
      return provider;
    case 'emulated':
      return emulateTools(provider);
    case 'inline':
      return readInline(provider);
  }
}
