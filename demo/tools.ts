// The tools of the demo's turn. Each tool records its runs in a journal, so that the demo can count them at the end.
import { setTimeout as wait } from 'node:timers/promises';
import { defineTool } from 'pawl/tools';
import { z } from 'zod';
import { openJournal } from './journal.ts';

const journal = openJournal(process.env.PAWL_DEMO_JOURNAL ?? 'demo-journal.jsonl');

const getWeather = defineTool({
  name: 'get_weather',
  description: 'Get the weather of a city for the coming weekend.',
  input: z.object({ city: z.enum(['Lisbon', 'Porto']) }),
  effect: 'none',
  statusText: 'Checking the weather…',
  async execute({ city }, { signal }) {
    journal.record('get_weather');
    await wait(city === 'Lisbon' ? 250 : 400, undefined, { signal });
    return city === 'Lisbon' ? { celsius: 22, sky: 'clear' } : { celsius: 15, sky: 'rain' };
  },
});

const searchFlights = defineTool({
  name: 'search_flights',
  description: 'Search for direct flights to a city on a day.',
  input: z.object({ to: z.string(), day: z.string() }),
  effect: 'none',
  statusText: 'Searching for flights…',
  async execute({ to, day }, { signal, progress }) {
    journal.record('search_flights');
    await wait(700, undefined, { signal });
    progress('2 of 3 airlines have answered');
    await wait(800, undefined, { signal });
    return [
      { flight: 'PW 101', to, day, departs: '08:10', price_eur: 129 },
      { flight: 'PW 205', to, day, departs: '17:45', price_eur: 98 },
    ];
  },
});

const bookFlight = defineTool({
  name: 'book_flight',
  description: 'Book seats on a flight that a search has found.',
  input: z.object({ flight: z.string(), seats: z.int().min(1) }),
  effect: 'at_most_once',
  statusText: 'Booking the flight…',
  async execute({ flight, seats }, { signal }) {
    journal.record('book_flight');
    await wait(600, undefined, { signal });
    return { booking: 'KX7QPM', flight, seats };
  },
});

const reserveTable = defineTool({
  name: 'reserve_table',
  description: 'Reserve a table at a restaurant for two.',
  input: z.object({ place: z.string(), at: z.string() }),
  effect: 'idempotent',
  statusText: 'Calling the restaurant…',
  async execute({ place, at }, { signal }) {
    journal.record('reserve_table');
    await wait(350, undefined, { signal });
    return { place, at, under: 'Silva' };
  },
});

const addToCalendar = defineTool({
  name: 'add_to_calendar',
  description: 'Add a trip with all its times to the calendar.',
  input: z.object({ trip: z.string() }),
  effect: 'idempotent',
  statusText: 'Writing into the calendar…',
  async execute({ trip }, { signal }) {
    journal.record('add_to_calendar');
    await wait(300, undefined, { signal });
    return { trip, entries: 3 };
  },
});

export default [getWeather, searchFlights, bookFlight, reserveTable, addToCalendar];
