import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createMistral } from '@ai-sdk/mistral';
import { createMistral as createEarlierMistral } from 'ai-sdk-mistral-v3';
import { aiSdkProvider } from '#core/llm/ai-sdk/ai-sdk-provider.ts';
import type { MakePackage } from '#core/llm/ai-sdk/package/load-packages.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { bedrockWire } from '#test/llm/ai-sdk/bedrock-wire.ts';
import { mistralWire } from '#test/llm/ai-sdk/mistral-wire.ts';
import { providerExam } from '#test/llm/provider-exam.ts';

const { post } = makeHttpClient();

/** A provider of that package, at a scripted server. */
const mistral = (make: MakePackage) => (origin: string) =>
  aiSdkProvider({ name: 'mistral', make, options: { apiKey: 'some-secret-key', baseURL: `${origin}/v1` }, post });
const bedrock = (origin: string) =>
  aiSdkProvider({
    name: 'bedrock',
    make: createAmazonBedrock,
    options: { region: 'eu-central-1', apiKey: 'some-secret-key', baseURL: origin },
    post,
  });

providerExam('ai-sdk with @ai-sdk/mistral', mistral(createMistral), mistralWire);
providerExam('ai-sdk with the version before of @ai-sdk/mistral', mistral(createEarlierMistral), mistralWire);
providerExam('ai-sdk with @ai-sdk/amazon-bedrock', bedrock, bedrockWire);
