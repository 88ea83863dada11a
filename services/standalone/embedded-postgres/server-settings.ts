/** What the server is asked to be; `dataFolder` is absolute, links resolved. */
export type ServerWish = { dataFolder: string; port: number; durable: boolean };

/** The command line arguments that make a small, private, durable server; given at each start, never stored. */
export function serverSettings({ dataFolder, port, durable }: ServerWish): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    // A socket file needs a short path that the user can write; TCP with a password needs neither.
    'unix_socket_directories=',
    'max_connections=200',
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    'log_checkpoints=off',
    // Statements may carry what users wrote; the client reports failures with its own words.
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
    folderMark(dataFolder),
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

/**
 * A setting without effect that names the folder on the command line, so that the server can be told from others.
 * The colon ends the name: /data is not /data2.
 */
export function folderMark(dataFolder: string): string {
  return `pawl.folder=${dataFolder}:`;
}
