// Schedules a report on each of 20 shops for every night, by batch at about half price, and shows the last reports:
//   npx node examples/nightly-batch.ts
//   PAWL_MODEL=openai/gpt-5.4 WEBHOOK_URL=https://reports.example/done npx node examples/nightly-batch.ts
// Run the example as often as you like. It finds its schedules by their metadata, and creates only missing schedules.
import { connectPawl, type Schedule, type ScheduleRequest } from 'pawl/client';

const { PAWL_URL, PAWL_API_KEY, PAWL_MODEL = 'sim/demo', WEBHOOK_URL } = process.env;
const SHOPS = [
  ...['Aarau', 'Basel', 'Bern', 'Biel', 'Chur', 'Davos', 'Fribourg', 'Geneva', 'Glarus', 'Lausanne'],
  ...['Liestal', 'Locarno', 'Lugano', 'Luzern', 'Sion', 'Solothurn', 'Thun', 'Uster', 'Zug', 'Zurich'],
];

/** Returns the schedule of a shop. A report starts at 01:00 in Zurich, and ends before 07:00. */
function nightlyReport(shop: string): ScheduleRequest & { turn: object } {
  return {
    cron: '0 1 * * *',
    time_zone: 'Europe/Zurich',
    turn: {
      model: PAWL_MODEL,
      input: `Write a short report on the shop in ${shop}.`,
      service_tier: 'batch',
      // An hour before its deadline, an unfinished turn continues without batches, at the usual price.
      tier_fallback: 'default',
      limits: { deadline_seconds: 6 * 3_600 },
      metadata: { nightly_report: shop },
      ...(WEBHOOK_URL && { webhook: { url: WEBHOOK_URL, events: ['turn.completed', 'turn.failed'] } }),
    },
  };
}

const pawl = connectPawl({ baseUrl: PAWL_URL, apiKey: PAWL_API_KEY });
const schedules = new Map<string | undefined, Schedule>();
for await (const schedule of pawl.schedules.list()) schedules.set(schedule.turn.metadata?.nightly_report, schedule);

for (const shop of SHOPS) {
  const request = nightlyReport(shop);
  const found = schedules.get(shop);
  // The update keeps the times, and takes over a changed model or webhook.
  const { id } = found
    ? await pawl.schedules.update(found.id, { turn: request.turn })
    : await pawl.schedules.create(request);
  const { next, last } = await pawl.schedules.get(id);
  console.log(`${shop}: ${found ? 'kept' : 'created'}, next at ${next[0]}. ${await lastReport(last[0])}`);
}

/** Returns the report of the last night, or the reason why there is none. */
async function lastReport(firing: Schedule['last'][number] | undefined): Promise<string> {
  if (!firing) return 'No report yet.';
  if (!firing.turn_id) return `No report: ${firing.error?.message}`;
  const { status, waiting, usage, output, error } = await pawl.turns.get(firing.turn_id);
  if (status !== 'completed') return `The report is ${status}: ${error?.message ?? `waits for ${waiting?.for}`}`;
  return `The report cost $${usage.cost_usd ?? '?'}: ${output}`;
}
