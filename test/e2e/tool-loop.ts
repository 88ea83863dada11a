import { z } from 'zod';
import { scripted } from '../harness/scripted.ts';

export const parameters = z.object({ city: z.string() });

/** The two tools that a client runs. Each test wraps them in the form of its client. */
export const [weather, time] = [
  {
    ...{ name: 'get_weather', description: 'Returns the weather of a city' },
    run: async ({ city }: { city: string }) => `Sunny in ${city}`,
  },
  {
    ...{ name: 'get_time', description: 'Returns the time in a city' },
    run: async ({ city }: { city: string }) => `Noon in ${city}`,
  },
] as const;

const call = (name: string, city: string) => ({ name, arguments: { city } });

/** A script with two calls side by side, then one call, then an answer that quotes the three results. */
export const twoRounds = scripted({
  rounds: [
    { say: 'Let me see.', tools: [call('get_weather', 'Rome'), call('get_time', 'Oslo')] },
    { tools: [call('get_time', 'Rome')] },
  ],
  answer: 'It says: {{results}}',
  piece_chars: 5,
});

const results = ['Sunny in Rome', 'Noon in Oslo', 'Noon in Rome'];

export const answered = `It says: ${results.join('\n')}`;

/** The history that the model has to receive with its third request, without system messages. */
export const history = [
  { role: 'user', content: twoRounds },
  { role: 'assistant', content: 'Let me see.', tool_calls: [{}, {}] },
  ...results.slice(0, 2).map((content) => ({ role: 'tool', content })),
  { role: 'assistant', tool_calls: [{}] },
  { role: 'tool', content: results[2] },
];
