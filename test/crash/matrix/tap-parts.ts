import type { Live } from '#core/live/live.ts';
import type { Provider } from '#core/llm/provider.ts';
import type { Parts } from '#services/open-parts.ts';
import type { Crossings } from './crossings.ts';
import { tapDatabase } from './tap-database.ts';
import { tapQueue } from './tap-queue.ts';

type Tap<Part> = (part: Part, crossings: Crossings) => Part;

/** Each part with what it does beyond its process, so that a new part has to say it here. */
const TAPS: { [Name in keyof Parts]: Tap<Parts[Name]> } = {
  connection: inPlace(tapDatabase),
  bell: inPlace(tapQueue),
  live: tapLive,
  providers: (providers, crossings) => ({
    ...providers,
    find: (name) => tapProvider(providers.find(name), crossings),
  }),
  tools: (tools, { around }) => ({
    ...tools,
    find: (name) => {
      const tool = tools.find(name);
      return tool && { ...tool, run: (args, context) => around(`run ${name}`, () => tool.run(args, context)) };
    },
  }),
  mcp: (mcp, { around }) => ({
    ...mcp,
    server: (name) => {
      const server = mcp.server(name);
      return (
        server && { ...server, call: (request) => around(`call ${request.tool.name}`, () => server.call(request)) }
      );
    },
  }),
  gate: (gate, { around }) => ({
    ...gate,
    send: (request) => around(`send ${new URL(request.url).pathname}`, () => gate.send(request)),
  }),
  secretsOf:
    (secretsOf, { around }) =>
    (project) =>
      around('find the secrets', () => secretsOf(project)),
  availability: untapped,
  ring: untapped,
  ringAhead: untapped,
  toolSecrets: untapped,
  redact: untapped,
  refusals: untapped,
  egress: untapped,
  close: untapped,
};

/** The same parts, crossing wherever they reach out of the process. */
export function tapParts(parts: Parts, crossings: Crossings): Parts {
  const tapped = Object.entries(TAPS).map(([name, tap]) => [
    name,
    (tap as Tap<unknown>)(parts[name as keyof Parts], crossings),
  ]);
  return Object.fromEntries(tapped) as Parts;
}

/** For what other parts hold already. */
function inPlace<Part>(tap: (part: Part, crossings: Crossings) => void): Tap<Part> {
  return (part, crossings) => {
    tap(part, crossings);
    return part;
  };
}

/** For what stays within the process, or goes out by another part. */
function untapped<Part>(part: Part): Part {
  return part;
}

function tapLive(live: Live, { around }: Crossings): Live {
  return {
    ...live,
    tellWatchers: (message) =>
      around(`tell watchers ${message.kind === 'event' ? message.event.type : message.kind}`, () =>
        live.tellWatchers(message),
      ),
    tellWorkers: (message) => around(`tell workers ${message.kind}`, () => live.tellWorkers(message)),
  };
}

function tapProvider(provider: Provider, { around, cross }: Crossings): Provider {
  return {
    ...provider,
    ask: (request, signal, onDelta) =>
      around(`ask r${request.round}`, () =>
        provider.ask(request, signal, (delta) => {
          cross(`piece of r${request.round}`);
          onDelta(delta);
        }),
      ),
  };
}
