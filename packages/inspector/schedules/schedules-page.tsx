import type { Schedule } from '#client/connect-pawl.ts';
import { call } from '../base/call.ts';
import { useTitle } from '../base/memo.tsx';
import { Empty, Loaded } from '../base/refusal.tsx';
import type { Page } from '../base/turn.ts';
import { useClock, useFresh } from '../base/use-fresh.ts';
import type { Route } from '../route.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { ScheduleView } from './schedule-view.tsx';

const MOST = 100;

const ABOUT = 'A schedule starts a turn at each planned time: every morning, or every few minutes.';

export function SchedulesPage(_: Route) {
  const read = (signal: AbortSignal) => call<Page<Schedule>>('GET', `/v1/schedules?limit=${MOST}`, { signal });
  const schedules = useFresh(read, { everyMs: 3_000 });
  useClock(1_000);
  useTitle('Schedules');
  return (
    <>
      <header class="stack">
        <h1>Schedules</h1>
        <details class="fold">
          <summary>New schedule</summary>
          <ScheduleForm created={schedules.again} />
        </details>
      </header>
      <Loaded from={schedules}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No schedules yet" text={ABOUT} />
            ) : (
              <ol class="stack" aria-label="Schedules">
                {data.map((schedule) => (
                  <ScheduleView key={schedule.id} schedule={schedule} refresh={schedules.again} />
                ))}
              </ol>
            )}
            {next && <p class="meta">The page shows the {MOST} newest schedules.</p>}
          </>
        )}
      </Loaded>
    </>
  );
}
