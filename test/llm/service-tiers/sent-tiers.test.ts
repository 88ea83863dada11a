import { expect, test } from 'vitest';
import type { ServiceTier } from '#core/turn/config/service-tier.ts';
import { askOn, TIER_WIRES, type TierWireName, WIRE_NAMES, wholeAnswer } from './tier-wires.ts';

const cases = WIRE_NAMES.flatMap((name) =>
  Object.entries(TIER_WIRES[name].words).map(([tier, word]) => [name, tier as ServiceTier, word] as const),
);

const tierSent = async (name: TierWireName, change: object) => {
  const { sent } = await askOn(name, wholeAnswer(TIER_WIRES[name].whole(null)), change);
  return sent[TIER_WIRES[name].field];
};

test.each(cases)('%s: the service tier %s is sent as "%s"', async (name, serviceTier, word) => {
  expect(await tierSent(name, { serviceTier })).toBe(word);
});

test.each(WIRE_NAMES)('%s: no service tier is sent if none is set', async (name) => {
  const { sent } = await askOn(name, wholeAnswer(TIER_WIRES[name].whole(null)), { serviceTier: null });

  expect(JSON.stringify(sent)).not.toMatch(/service_?tier/i);
});

test.each(WIRE_NAMES)('%s: provider_options replace the service tier', async (name) => {
  const providerOptions = { [TIER_WIRES[name].field]: 'scale' };

  expect(await tierSent(name, { serviceTier: 'default', providerOptions })).toBe('scale');
});
