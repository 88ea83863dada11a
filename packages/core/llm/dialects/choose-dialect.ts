import type { TurnConfig } from '../../turn/request/turn.ts';
import { usableReply } from '../bounded.ts';
import type { Provider } from '../provider.ts';
import { forbidCalls } from '../reply/forbid-calls.ts';
import { settleEmpty } from '../reply/settle-empty.ts';
import { emulateTools } from './emulated/emulate-tools.ts';
import { readInline } from './inline/read-inline.ts';

type Dialect = Pick<Provider, 'ask'>;

/** How a provider is asked in a tool mode (docs/tool-modes.md). Calls that were not allowed are dropped. */
export function chooseDialect(mode: TurnConfig['tool_mode'], provider: Pick<Provider, 'ask' | 'name'>): Dialect {
  return settleEmpty(forbidCalls({ name: provider.name, ...dialectOf(mode, provider) }));
}

function dialectOf(mode: TurnConfig['tool_mode'], provider: Pick<Provider, 'ask' | 'name'>): Dialect {
  switch (mode) {
    case 'native':
      return provider;
    case 'emulated':
      return bounded(provider.name, emulateTools(provider));
    case 'inline':
      return bounded(provider.name, readInline(provider));
  }
}

/** Calls that are read from a text have the limits of those that a provider makes. */
function bounded(provider: string, dialect: Dialect): Dialect {
  return { ask: (...request) => usableReply(provider, dialect.ask(...request)) };
}
