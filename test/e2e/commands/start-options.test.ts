import { expect, test } from '@jest/globals';
import { startCommand } from '../../support/processes/command.js';

test('the service shows its help and does not start', async () => {
  expect(await startCommand('src/cli/consilium.ts', 'start', '--help').ended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Runs the service until Ctrl-C\./),
  });
});

test('the service does not start with an option that it does not have', async () => {
  expect(await startCommand('src/main.ts', '--prot', '3').ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--prot'),
  });
});
