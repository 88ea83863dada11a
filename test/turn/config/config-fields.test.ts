import { expect, test } from 'vitest';
import { configFields } from '#core/turn/config/config-fields.ts';
import { keepConfig } from '#core/turn/config/kept-config.ts';
import { fillLimits } from '#core/turn/limits.ts';
import { fillTool } from '#core/turn/request/tool.ts';
import { TurnRequest } from '#core/turn/request/turn.ts';
import { presentConversation } from '#core/turn/resource/conversation.ts';
import { presentTurnConfig } from '#core/turn/resource/turn-config.ts';

const names = Object.keys(configFields);
const own = { model: 'sim/demo', tools: [], tool_choice: 'auto' as const, limits: fillLimits(null), webhook: null };
const moments = { createdAt: '2026-11-20T10:00:00.082Z', expiresAt: null };
const noFork = { activeTurnId: null, forkedFrom: null, forkedRound: null };

test('a request takes each configuration field, and null for its default', () => {
  const nothing = Object.fromEntries(names.map((name) => [name, null]));

  const taken = TurnRequest.parse({ ...nothing, input: 'Hi' });

  expect(taken).toEqual({ ...nothing, input: 'Hi' });
});

test('a conversation shows the configuration fields in the order of the list', () => {
  const conversation = { id: 'conv_1', config: {}, metadata: {}, ...noFork, ...moments };

  const shown = Object.keys(presentConversation(conversation, fillTool));

  expect(shown.slice(4, 4 + names.length)).toEqual(names);
});

test('a turn shows each configuration field, and groups the sampling fields', () => {
  const { sampling, wires, ...shown } = presentTurnConfig({ ...keepConfig({}), ...own });

  expect(wires).toEqual({});
  expect(Object.keys({ ...shown, ...sampling }).toSorted()).toEqual(names.toSorted());
  expect(Object.keys(sampling)).toEqual(['temperature', 'top_p', 'reasoning_effort', 'verbosity', 'stop', 'seed']);
});

test('a turn stores some fields always, and others if they are not the default', () => {
  const stored = keepConfig({ seed: 7, stop: null, prompt_cache: 'auto', provider_headers: {}, model: 'sim/demo' });

  expect(stored).toEqual({
    ...{ instructions: null, tool_mode: 'native', parallel_tool_calls: null, allowed_capabilities: null },
    ...{ temperature: null, top_p: null, reasoning_effort: null, verbosity: null, seed: 7 },
    ...{ max_output_tokens: null, provider_options: {} },
  });
});
