import type { Schedule } from '#client/connect-pawl.ts';
import { call } from '../base/call.ts';
import { useTitle } from '../base/memo.tsx';
import { Refusal, Skeleton } from '../base/refusal.tsx';
import type { Page } from '../base/turn.ts';
import { useClock, useFresh } from '../base/use-fresh.ts';
import type { Route } from '../route.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { ScheduleView } from './schedule-view.tsx';

const MOST = 100;

/** The schedules, and a form that creates one. */
export function SchedulesPage(_: Route) {
  const read = (signal: AbortSignal) => call<Page<Schedule>>('GET', `/v1/schedules?limit=${MOST}`, { signal });
  const { data, refused, again } = useFresh(read, { everyMs: 3_000 });
  useClock(1_000);
  useTitle('Schedules');
  return (
    <>
      <header class="stack">
        <h1>Schedules</h1>
        <details class="fold">
          <summary>New schedule</summary>
          <ScheduleForm created={again} />
        </details>
      </header>
      <Refusal refused={refused} again={again} />
      {data === null && refused === null && <Skeleton />}
      {data?.data.length === 0 && (
        <section class="none">
          <h2>No schedules yet</h2>
          <p>A schedule starts a turn at each planned time: every morning, or every few minutes.</p>
        </section>
      )}
      {data && data.data.length > 0 && (
        <ol class="stack" aria-label="Schedules">
          {data.data.map((schedule) => (
            <ScheduleView key={schedule.id} schedule={schedule} refresh={again} />
          ))}
        </ol>
      )}
      {data?.next_cursor && <p class="meta">The page shows the {MOST} newest schedules.</p>}
    </>
  );
}
