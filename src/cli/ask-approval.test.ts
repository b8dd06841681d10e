import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { EventData } from '../client/index.js';
import { ConsiliumError } from '../domain/errors.js';
import { askApproval } from './ask-approval.js';

const approval = {
  ...{ approval_id: 't1', tool: 'restart_process', args: { node: 'shop' } },
  ...{ message: 'Restart the shop.', risk: 'Orders fail.\u001b[2J' },
} as unknown as EventData['system.approval'];

/** Answers an approval on a terminal where a person types this, a piece at each question. */
async function answered(typed: readonly string[] | undefined, yes = false, failure?: Error) {
  const input = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  const waiting = [...(typed ?? [])];
  let shown = '';
  output.on('data', (bytes: Buffer) => {
    shown += bytes.toString();
    if (shown.split('[y/N]').length - 1 > (typed?.length ?? 0) - waiting.length)
      input.write(waiting.shift() ?? '');
  });
  const interrupted = new AbortController();
  const sent: object[] = [];
  const client = {
    decide: async (_run: string, _approval: object, decision: object) => {
      sent.push(decision);
      if (failure) throw failure;
    },
  };
  const ask = askApproval(client, {
    ...{ yes, interrupt: interrupted.signal, onCtrlC: () => interrupted.abort() },
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
  });
  await ask('r', approval);
  return { sent, shown, isInterrupted: interrupted.signal.aborted };
}

it.each([
  [['y\n'], 'approve'],
  [['YES\n'], 'approve'],
  [['\n'], 'deny'],
  [['No\n'], 'deny'],
  [['maybe\n', 'y\n'], 'approve'],
  [['yesterday\n', 'maybe\n'], 'deny'],
  [['\u0004'], 'deny'],
])('takes %j as %s', async (typed, decision) => {
  const { sent, shown } = await answered(typed);
  expect(sent).toEqual([{ decision }]);
  expect(shown).toContain('Restart the shop. Orders fail.');
  expect(shown).toContain('restart_process {"node":"shop"}');
  expect(shown).not.toContain('\u001b[2J');
});

it('is interrupted by the first Ctrl-C, and decides nothing', async () => {
  expect(await answered(['\u0003'])).toMatchObject({ sent: [], isInterrupted: true });
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
