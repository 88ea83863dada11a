import { CodeBlock, prettyJson, StatusBadge } from '../base/fact-list.tsx';
import type { Round } from '../base/turn.ts';

type HostedCall = Round['hosted_calls'][number];

/** The calls of a round that the provider runs, each in a line. A call opens to its input and output. */
export function HostedCalls({ calls }: { calls: readonly HostedCall[] }) {
  if (calls.length === 0) return null;
  return (
    <ul class="calls">
      {calls.map((call) => (
        <HostedCallView key={call.id} call={call} />
      ))}
    </ul>
  );
}

function HostedCallView({ call: { id, type, status, input, output, error } }: { call: HostedCall }) {
  return (
    <li class="call">
      <details>
        <summary class="line">
          <span class="what">
            <b>{type}</b>
            <code class="brief">{brieflyOf(input)}</code>
            <span class="meta">run by the provider</span>
            <StatusBadge status={status} />
          </span>
        </summary>
        <div class="inside">
          {input && (
            <div>
              <h4>Input</h4>
              <CodeBlock text={prettyJson(input)} label={`Input of ${type}`} />
            </div>
          )}
          {output !== null && (
            <div>
              <h4>Output</h4>
              <CodeBlock text={prettyJson(output)} label={`Output of ${type}`} />
            </div>
          )}
          {status === 'completed' && output === null && <p class="hint">The provider does not show the output.</p>}
          <p class="meta">
            Call <code>{id}</code>
          </p>
        </div>
      </details>
      {error !== null && <p class="why">{error}</p>}
    </li>
  );
}

/** The fields of an input that say most about a call, in the names of the providers. */
const MAIN = ['query', 'queries', 'url', 'code', 'command', 'prompt'];

/** Returns the main field of an input, or else the input as JSON, in a line. */
function brieflyOf(input: HostedCall['input']): string {
  if (input === null) return '';
  const main = MAIN.map((name) => input[name] ?? null).find((value) => value !== null) ?? input;
  return (typeof main === 'string' ? main : JSON.stringify(main)).slice(0, 200);
}
