import { afterEach, describe, expect, it } from '@jest/globals';
import { startCommand, type Command } from '../support/processes/command.js';

let command: Command | undefined;
afterEach(() => void command?.child.kill('SIGKILL'));
const run = (...args: string[]) => (command = startCommand('src/cli/consilium.ts', ...args)).ended;

describe('consilium', () => {
  it('hands its arguments to a command', async () => {
    const { code, stdout } = await run('diagnose', '--help');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('--markdown') });
  });

  it('prints the version of the package', async () => {
    const { code, stdout } = await run('--version');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it('suggests a command', async () => {
    const { code, stderr } = await run('diagnos');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('There is no command "diagnos": did you mean "diagnose"?'),
    });
  });
});
