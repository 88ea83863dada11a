import { ActionButton, notice } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { Options, RequestField, useRequest } from '../start/request-field.tsx';

const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

/** A form that creates a schedule. A refusal marks its field, and the field takes the focus. */
export function ScheduleForm({ created }: { created: () => Promise<void> }) {
  const { form, field, press } = useRequest(async (element) => {
    await call('POST', '/v1/schedules', { body: requestOf(new FormData(element)) });
    element.reset();
    notice('Created.');
    await created();
  });
  return (
    <form ref={form} class="new panel schedule-form" onSubmit={(event) => event.preventDefault()}>
      <Fields field={field} />
      <label class="box words">
        <input type="checkbox" name="skip" />
        Skip missed times
      </label>
      <div class="actions">
        <ActionButton looks="primary" submits work={press}>
          Create schedule
        </ActionButton>
      </div>
    </form>
  );
}

function Fields({ field }: Pick<ReturnType<typeof useRequest>, 'field'>) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <RequestField {...field('cron', 'Cron')} placeholder="0 9 * * 1-5" autocomplete="off" />
      <RequestField {...field('time_zone', 'Time zone')} list="zones" defaultValue={zone} />
      <RequestField
        {...field('every_seconds', 'Or every')}
        {...{ class: 'every', type: 'number', min: 1, defaultValue: 1, 'aria-label': 'Every how many' }}
      >
        <select name="unit" aria-label="Unit">
          {Object.keys(UNITS).map((name) => (
            <option key={name} {...{ defaultSelected: name === 'hours' }}>
              {name}
            </option>
          ))}
        </select>
      </RequestField>
      <RequestField {...field('turn.model', 'Model')} required defaultValue="sim/demo" />
      <RequestField {...field('turn.input', 'Input')} required rows={3} />
      <RequestField {...field('conversation_id', 'Conversation')} placeholder="A new conversation each time" />
      <Options id="zones" values={Intl.supportedValuesOf('timeZone')} />
    </>
  );
}

function requestOf(given: FormData) {
  const text = (name: string) => String(given.get(name) ?? '').trim() || undefined;
  const [, unitSeconds = 1] = Object.entries(UNITS).find(([name]) => name === text('unit')) ?? [];
  return {
    ...(text('cron')
      ? { cron: text('cron'), time_zone: text('time_zone') }
      : { every_seconds: Number(text('every_seconds')) * unitSeconds }),
    turn: { model: text('turn.model'), input: text('turn.input') },
    conversation_id: text('conversation_id'),
    if_missed: given.has('skip') ? 'skip' : undefined,
  };
}
