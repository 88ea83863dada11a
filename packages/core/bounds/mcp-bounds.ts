/** Bounds on MCP servers: their answers, lists, events, requests and output (docs/limits.md). */
export const MCP_BOUNDS = {
  /** Bytes of one answer, of one event in a stream of events, and of one line from a command. */
  answerBytes: 8 * 1024 * 1024,
  /** Values and levels of JSON in one answer. */
  values: 250_000,
  depth: 100,
  /** Blocks of content in the result of a tool. */
  contentBlocks: 1_000,
  /** Pages of a list of tools, and tools and characters of JSON in all its pages. */
  listPages: 20,
  listTools: 2_000,
  listLength: 4 * 1024 * 1024,
  /** Characters of the name and of the description of a tool. */
  nameLength: 500,
  descriptionLength: 64 * 1024,
  /** Events of one stream that never wait for other streams: at once, and per second after that. */
  ownEventsAtOnce: 20,
  ownEventsPerSecond: 10,
  /** Further events in all streams of one server, or lines of one command, that are read at once, and per second. */
  eventsAtOnce: 2_000,
  eventsPerSecond: 500,
  /** Large answers of one command that wait for a slot while the command is read on. */
  largeLines: 4,
  /** Answers to requests of one server that are on their way at once. Further requests get no answer. */
  answersAtOnce: 8,
  /** Requests of one server that are answered at once, and per second after that. */
  answerBurst: 100,
  answersPerSecond: 10,
  /** The pause before the stream of a call is opened again, even if the server asks for another pause. */
  leastResumeMs: 1_000,
  longestResumeMs: 30_000,
  /** Characters of a line on a command's standard error, and lines that are logged at once and per second. */
  outputLineLength: 1_000,
  outputBurst: 100,
  outputLinesPerSecond: 10,
  /** Tools of one server that are left out with a line of the log, at once and per second. */
  leftOutBurst: 100,
  leftOutPerSecond: 10,
};
