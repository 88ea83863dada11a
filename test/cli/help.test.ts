import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { textWidth } from '#cli/wrap-text.ts';
import { atTerminal } from './at-terminal.ts';

test('a misused command names its mistake and its help', async () => {
  const say = (...args: string[]) => atTerminal('http://127.0.0.1:9', args);

  const wrong: [string[], string][] = [
    [[], 'The command is missing. See: pawl --help'],
    [['start'], 'Unknown command “start”. See: pawl --help'],
    [['help', 'frob'], 'Unknown command “frob”. See: pawl --help'],
    [['schedules', '--json', 'help', 'frob'], 'Unknown command “frob”. See: pawl schedules --help'],
    [['schedules', 'frob'], 'Unknown command “frob”. Use list, create, show, enable, disable, delete.'],
    [['schedules', '--json', 'shwo', 'sched_1'], 'Unknown command “shwo”. Did you mean show? Use list,'],
    [['schedules', 'list', 'all'], "Too many arguments for 'list'. Expected 0 arguments but got 1."],
    [['schedules', '--every', '60'], "Unknown option '--every'."],
    [['run'], 'The input is missing. Write pawl run "Hello", or pipe a text into pawl run.'],
    [['run', 'Hello', '--modle', 'x/y'], "Unknown option '--modle'. Did you mean --model? See: pawl run --help"],
    [['fork', 'turn_1', '--after-round', '-1'], "argument '-1' is invalid. Give a whole number from 0."],
    [['watch'], "Missing required argument 'turn_…'."],
    [['cancel', 'conv_1'], 'Give an id that begins with turn_.'],
    [['rerun', 'turn_1', 'more'], "Too many arguments for 'rerun'."],
    [['chat', 'conv_1', '--tools', 'search'], 'The options of a conversation cannot change.'],
    [['turns', '--status', 'done'], "argument 'done' is invalid. Use queued, in_progress,"],
    [['turns', '--status', 'failed,done'], "argument 'failed,done' is invalid."],
    [['turns', '--metadata', 'customer'], "argument 'customer' is invalid. Write key=value."],
    [['turns', '--limit', '0'], 'Give a whole number from 1.'],
    [['turns', '--limit'], "Option '--limit <n>' argument missing."],
    [['turns', 'all'], "Too many arguments for 'turns'."],
    [['bulk', 'stop'], 'Allowed choices are cancel, retry, delete.'],
    [['bulk', 'cancel'], 'The filter is missing. Select turns, for example with --status queued.'],
    [['usage', '--by', 'week'], "argument 'week' is invalid. Use day, project, model, key."],
    [['agents', 'shwo', 'support'], 'Unknown command “shwo”. Did you mean show? Use list,'],
    [['agents', 'change', 'support'], 'The changes are missing. Give an option, such as --instructions or --file.'],
    [['agents', 'create', 'support', '--file', '/nowhere.json'], 'The file cannot be read. Name a JSON file.'],
    [['agents', 'create', 'support', '--file', 'README.md'], 'The file has no JSON object.'],
    [['agents', 'label', 'support', 'production', 'two'], 'Give a version, such as 7, or versions with weights'],
    [['agents', 'label', 'support', 'production', '7', '8'], 'Give a version, such as 7, or versions with weights'],
    [['agents', 'label', 'support', 'production', '7=1', '7=2'], 'Give each version once.'],
    [['agents', 'show', 'support', '--version', 'x'], "argument 'x' is invalid. Give a whole number from 1."],
    [['agents', 'diff', 'support', '1'], "Missing required argument 'after'."],
    [['run', 'Hello', '--variable', 'customer'], "argument 'customer' is invalid. Write key=value."],
    [['schedules', 'create'], "Missing required argument 'input'. See: pawl schedules create --help"],
  ];
  for (const [args, sentence] of wrong) {
    const { complaints, exitCode } = await say(...args);
    expect(complaints).toContain(sentence);
    expect(complaints).toMatch(/ See: pawl (\w+ )*--help\n$/);
    expect(exitCode).toBe(2);
  }
  expect(await atTerminal('8080', ['turns'])).toMatchObject({
    exitCode: 2,
    complaints: expect.stringContaining('PAWL_URL'),
  });
});

test('help and the version are printed in any environment', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

  for (const flag of ['--version', '-v']) {
    expect(await atTerminal('no URL', [flag])).toEqual({ output: `${version}\n`, complaints: '', exitCode: 0 });
  }
  expect(await atTerminal('no URL', ['--help'])).toMatchObject({ exitCode: 0, complaints: '' });
});

test.each([
  ['', 'Usage: pawl <command>'],
  ['run', 'Usage: pawl run [options] [input...]'],
  ['chat', 'Usage: pawl chat [options] [conv_…]'],
  ['watch', 'Usage: pawl watch [options] <turn_…>'],
  ['retry', 'Usage: pawl retry [options] <turn_…>'],
  ['cancel', 'Usage: pawl cancel [options] <turn_…>'],
  ['delete', 'Usage: pawl delete [options] <turn_…>'],
  ['fork', 'Usage: pawl fork [options] <turn_…> [input...]'],
  ['rerun', 'Usage: pawl rerun [options] <turn_…>'],
  ['bulk', 'Usage: pawl bulk [options] <action>'],
  ['turns', 'Usage: pawl turns [options]'],
  ['usage', 'Usage: pawl usage [options]'],
  ['workers', 'Usage: pawl workers [options]'],
  ['queues', 'Usage: pawl queues [options]'],
  ['batches', 'Usage: pawl batches [options]'],
  ['schedules', 'Usage: pawl schedules [options] [command]'],
  ['agents', 'Usage: pawl agents [options] [command]'],
  ['agents create', 'Usage: pawl agents create [options] <name>'],
  ['agents label', 'Usage: pawl agents label [options] <name> <label> <versions...>'],
  ['schedules create', 'Usage: pawl schedules create [options] <input...>'],
])('the help of “pawl %s” has its own usage, within 80 columns', async (command, usage) => {
  const names = command.split(' ').filter(Boolean);

  const { output, complaints, exitCode } = await atTerminal('no URL', [...names, '--help'], [], 40);
  const short = await atTerminal('no URL', [...names, '-h']);

  expect(output.split('\n')[0]).toBe(usage);
  expect(output).toContain('Exit codes: 0 completed');
  expect(Math.max(...output.split('\n').map(textWidth))).toBeLessThanOrEqual(80);
  expect({ complaints, exitCode }).toEqual({ complaints: '', exitCode: 0 });
  expect(short.output).toBe(output);
});
