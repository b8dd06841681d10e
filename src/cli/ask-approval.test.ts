import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { EventData } from '../client/index.js';
import { ConsiliumError } from '../domain/errors.js';
import { askApproval } from './ask-approval.js';

const approval = {
  ...{ approval_id: 't1', tool: 'restart_process', args: { node: 'shop' } },
  ...{ message: 'Restart the shop.', risk: 'Orders fail.\u001b[2J' },
} as unknown as EventData['system.approval'];

/** Answers an approval on a terminal where a person types this. */
async function answered(typed: string | undefined, yes = false, failure?: Error) {
  const input = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
  const output = new PassThrough();
  const sent: object[] = [];
  const client = {
    decide: async (_run: string, _approval: object, decision: object) => {
      sent.push(decision);
      if (failure) throw failure;
    },
  };
  const ask = askApproval(client, {
    ...{ yes, interrupt: new AbortController().signal },
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
  });
  const done = ask('r', approval);
  if (typed !== undefined && !yes) input.write(typed);
  await done;
  return { sent, shown: String(output.read() ?? '') };
}

it.each([
  ['y\n', 'approve'],
  ['YES\n', 'approve'],
  ['\n', 'deny'],
  ['yesterday\n', 'deny'],
])('takes %j as %s', async (typed, decision) => {
  const { sent, shown } = await answered(typed);
  expect(sent).toEqual([{ decision }]);
  expect(shown).toContain('Restart the shop. Orders fail.');
  expect(shown).toContain('restart_process {"node":"shop"}');
  expect(shown).not.toContain('\u001b[2J');
});

it('approves without a question if it was told to', async () => {
  const { sent, shown } = await answered(undefined, true);
  expect(sent).toMatchObject([{ decision: 'approve' }]);
  expect(shown).toBe('');
});

it('refuses if there is no terminal to ask on', async () => {
  expect((await answered(undefined)).sent).toEqual([
    { decision: 'deny', reason: 'there is no terminal to ask on' },
  ]);
});

it('goes on if another person was faster', async () => {
  const late = new ConsiliumError('APPROVAL_CLOSED', 'The approval has already expired');
  expect((await answered(undefined, true, late)).shown).toContain('already expired');
  await expect(answered(undefined, true, new Error('away'))).rejects.toThrow('away');
});
