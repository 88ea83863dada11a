import { type ComponentChildren, render } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ActionButton, notice } from './buttons.tsx';
import { restoreFocus } from './keep-focus.ts';

/** Shows a modal dialog. Resolves, when it is closed, to the value that closed it, or to an empty text. */
export function openDialog(content: (close: (value?: string) => void) => ComponentChildren): Promise<string> {
  const dialog = document.createElement('dialog');
  dialog.className = 'ask';
  dialog.setAttribute('aria-labelledby', 'ask-title');
  render(
    content((value) => dialog.close(value)),
    dialog,
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      render(null, dialog);
      dialog.remove();
      restoreFocus();
      resolve(dialog.returnValue);
    });
  });
}

/** Replaces the question by a report on its work. */
export type Show = (title: string, report: ComponentChildren) => void;

/**
 * `work` runs while the dialog is open and may report with `show`. Without a report, the dialog closes afterwards. If
 * `work` fails, the dialog stays open and shows the message.
 */
export type Question = {
  title: string;
  body: ComponentChildren;
  action: string;
  isDanger?: boolean;
  work: (show: Show) => Promise<unknown>;
};

/** Asks a person before an action. Resolves when the dialog is closed. */
export async function askFirst(question: Question): Promise<void> {
  await openDialog((close) => <Confirmation {...question} close={() => close()} />);
}

function Confirmation({ title, body, action, isDanger = false, work, close }: Question & { close: () => void }) {
  const [report, setReport] = useState<{ title: string; body: ComponentChildren } | null>(null);
  const [problem, setProblem] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const confirm = async () => {
    if (!form.current?.reportValidity()) return;
    setProblem('');
    let hasReport = false;
    await work((shownTitle, shownBody) => {
      hasReport = true;
      setReport({ title: shownTitle, body: shownBody });
    });
    if (!hasReport) close();
  };
  // The backdrop covers the notice while the dialog is open.
  const fail = (failure: string) => (form.current ? setProblem(failure) : notice(failure));
  return (
    <form ref={form} class="question" onSubmit={(event) => event.preventDefault()}>
      <h2 id="ask-title">{report?.title ?? title}</h2>
      {report === null ? body : report.body}
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="actions">
        {report === null && (
          <ActionButton submits looks={isDanger ? 'danger' : 'primary'} work={confirm} report={fail}>
            {action}
          </ActionButton>
        )}
        <button type="button" onClick={close}>
          {report === null ? 'Leave it' : 'Close'}
        </button>
      </div>
    </form>
  );
}
