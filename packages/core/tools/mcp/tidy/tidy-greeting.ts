import { isRecord } from '../../../json.ts';

/** The versions with a greeting that the SDK takes. */
export const GREETING_VERSIONS: readonly unknown[] = [
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'],
];

/** The version that a server assumes if a client names none. */
const ASSUMED_VERSION = '2025-03-26';

/** Tidies the answer to `initialize` in place: the SDK would refuse the whole server for one odd field. */
export function tidyGreeting(greeting: Record<string, unknown>): void {
  const { protocolVersion, capabilities, serverInfo, instructions } = greeting;
  const { name, version } = isRecord(serverInfo) ? serverInfo : {};
  Object.assign(greeting, {
    protocolVersion: GREETING_VERSIONS.includes(protocolVersion) ? protocolVersion : ASSUMED_VERSION,
    capabilities: isRecord(capabilities) && capabilities.tools ? { tools: {} } : {},
    serverInfo: { name: textOf(name), version: textOf(version) },
  });
  if (typeof instructions !== 'string') Reflect.deleteProperty(greeting, 'instructions');
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';
}
