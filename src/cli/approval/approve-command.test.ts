import { expect, it } from '@jest/globals';
import { approveCommand } from './approve-command.js';

it.each([
  ['http://127.0.0.1:3000', 'npm run approve -- r1 t2'],
  ['http://shop:4000', 'npm run approve -- r1 t2 --server http://shop:4000'],
])('names the service at %s as far as it must', (server, command) => {
  expect(approveCommand(server, { runId: 'r1', approvalId: 't2' })).toBe(command);
});
