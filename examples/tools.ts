// Three tools that the worker runs. Start Pawl with PAWL_TOOLS=examples/tools.ts, and name the tools in a turn:
//   "tools": ["get_weather"]
import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, ToolFailed } from 'pawl/tools';
import { z } from 'zod';

const WEATHER: Record<string, { celsius: number; sky: string }> = {
  berlin: { celsius: 11, sky: 'rain' },
  lisbon: { celsius: 22, sky: 'clear' },
  tokyo: { celsius: 18, sky: 'clouds' },
};

/** A tool that only reads. Pawl may repeat a call, and reuses its answer for a minute. */
const getWeather = defineTool({
  name: 'get_weather',
  description: 'Get the current weather of a city.',
  input: z.object({
    city: z
      .string()
      .min(1)
      .meta({ description: 'The name of the city', examples: ['Lisbon'] }),
  }),
  effect: 'none',
  cacheTtlSeconds: 60,
  statusText: 'Checking the weather…',
  execute({ city }) {
    const weather = WEATHER[city.toLowerCase()];
    if (!weather) throw new ToolFailed('resource_not_found', 'There is no weather for this city.', { city });
    return weather;
  },
});

/** A slow tool. It reports its progress, and stops when its signal aborts. */
const searchFlights = defineTool({
  name: 'search_flights',
  description: 'Search for direct flights between two airports on a day.',
  input: z.object({ from: z.string().length(3), to: z.string().length(3), day: z.iso.date() }),
  effect: 'none',
  timeoutMs: 10_000,
  statusText: 'Searching for flights…',
  async execute({ from, to, day }, { signal, progress }) {
    progress({ airlines_asked: 1 });
    await wait(1500, undefined, { signal });
    return [
      { flight: 'PW 101', from, to, day, departs: '08:10', price_eur: 129 },
      { flight: 'PW 205', from, to, day, departs: '17:45', price_eur: 98 },
    ];
  },
});

/** A tool that runs at most once. After a crash the model reads that the outcome is unknown. */
const bookFlight = defineTool({
  name: 'book_flight',
  description: 'Book a seat on a flight that a search has found.',
  input: z.object({ flight: z.string(), passenger: z.string().min(1) }),
  output: z.object({ booking: z.string(), flight: z.string(), passenger: z.string() }),
  effect: 'at_most_once',
  statusText: 'Booking the flight…',
  execute({ flight, passenger }, { idempotencyKey }) {
    return { booking: `PW-${idempotencyKey}`, flight, passenger };
  },
});

export default [getWeather, searchFlights, bookFlight];
