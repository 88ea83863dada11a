import { JSON_LIMITS } from '../json.ts';

const MIB = 1024 * 1024;

/**
 * Bounds on the memory that an answer of a provider may use in a worker. Beyond any bound the attempt fails
 * (docs/limits.md).
 */
export const REPLY_BOUNDS = {
  /** Bytes of one answer, unpacked, and of its headers. */
  bytes: 64 * MIB,
  headerBytes: 16 * 1024,
  /** Bytes of one event or line of a stream, or of a reply sent whole. */
  eventBytes: 8 * MIB,
  /** Events, lines of JSON or frames of one answer, with or without content. */
  events: 500_000,
  /** The JSON of one event. */
  ...JSON_LIMITS,
  calls: 1000,
  /** Characters of a tool's name, and of the arguments of one call. */
  nameLength: 256,
  argumentsLength: MIB,
  /** Blocks, parts or details of reasoning. */
  parts: 10_000,
  /** Characters of JSON that the provider requires back with the reply. */
  stateLength: 8 * MIB,
  /** Characters of a text that is searched for tool calls (`tool_mode` `inline`, `emulated`). */
  markedLength: MIB,
};
