import type { TurnRequest } from 'pawl/client';
import type { Script } from '#simulator/script.ts';

/** The round in which a worker is killed. By then a flight is booked, which must not be booked twice. */
export const KILLED_ROUND = 3;

const WISH = 'A weekend in the sun for two, please: Lisbon or Porto? Book the flight and a table.';

const ROUNDS = [
  {
    say: 'Two cities to choose from. I check the weekend’s weather in both, and the flights on Friday.',
    tools: [
      { name: 'get_weather', arguments: { city: 'Lisbon' } },
      { name: 'get_weather', arguments: { city: 'Porto' } },
      { name: 'search_flights', arguments: { to: 'Lisbon', day: 'Friday' } },
    ],
  },
  {
    say: 'Lisbon it is: 22 °C and clear, while it rains in Porto. I book the cheaper flight and reserve a table.',
    tools: [
      { name: 'book_flight', arguments: { flight: 'PW 205', seats: 2 } },
      { name: 'reserve_table', arguments: { place: 'Ponto Final', at: '20:30' } },
    ],
  },
  {
    say:
      'The flight is booked and the table is yours. Neither may happen a second time: two more seats would cost ' +
      'another 196 €. All that is left is to write flight, table and the way back into your calendar.',
    tools: [{ name: 'add_to_calendar', arguments: { trip: 'Lisbon' } }],
  },
];

const ANSWER = `Your weekend in Lisbon, 22 °C and clear:
- Friday 17:45, flight PW 205, two seats, booking KX7QPM
- Friday 20:30, a table for two at Ponto Final, under Silva
- all times are in your calendar. Have a good trip!`;

const SCRIPT: Partial<Script> = {
  think_ms: 250,
  pace_ms: 40,
  piece_chars: 4,
  rounds: ROUNDS.map((round, index) => (index + 1 === KILLED_ROUND ? { ...round, pace_ms: 60 } : round)),
  answer: ANSWER,
};

/** Returns the turn that the demo posts. Its input scripts the model (docs/simulator.md). */
export function travelRequest(webhookUrl: string) {
  return {
    model: 'sim/travel',
    input: `${WISH} ${JSON.stringify({ sim: SCRIPT })}`,
    tools: ['get_weather', 'search_flights', 'book_flight', 'reserve_table', 'add_to_calendar'],
    webhook: { url: webhookUrl, events: ['turn.completed'] },
  } satisfies TurnRequest;
}

export type TravelRequest = ReturnType<typeof travelRequest>;

/** Returns the request as lines of JSON, shortened for readers. */
export function shortForm({ model, tools, webhook }: TravelRequest): string[] {
  const [first, second] = tools;
  return [
    `"model":   "${model}",`,
    `"input":   "${WISH.slice(0, WISH.indexOf(':'))} …",`,
    `"tools":   ["${first}", "${second}", … ${tools.length} in all],`,
    `"webhook": { "url": "${webhook.url}" }`,
  ];
}

/** Half of the text of the killed round, in characters. At this point its worker is killed. */
export const HALF_OF_KILLED_ROUND = Math.floor((ROUNDS[KILLED_ROUND - 1]?.say.length ?? 0) / 2);
