import type { TurnConfig } from '../../turn/request/turn.ts';
import { usableReply } from '../bounded.ts';
import type { Provider } from '../provider.ts';
import { forbidCalls } from '../reply/forbid-calls.ts';
import { settleEmpty } from '../reply/settle-empty.ts';
import { emulateTools } from './emulated/emulate-tools.ts';
import { readInline } from './inline/read-inline.ts';

type Dialect = Pick<Provider, 'ask'>;

/** Returns how to ask a provider in a tool mode (docs/tool-modes.md). Forbidden calls are dropped. */
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

/** Applies the limits of a provider's calls to calls from a text. */
function bounded(provider: string, dialect: Dialect): Dialect {
  return { ask: (...request) => usableReply(provider, dialect.ask(...request)) };
}
