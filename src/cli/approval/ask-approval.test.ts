import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { EventData } from '../../client/index.js';
import { ConsiliumError } from '../../domain/errors.js';
import { askApproval } from './ask-approval.js';

const approval = {
  approval_id: 't1',
  tool: 'restart_process',
  args: { node: 'shop' },
  message: 'Restart the shop.',
  risk: 'Orders fail.\u001b[2J',
  expires_at: '2026-11-23T12:00:00.000Z',
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
    url: 'http://shop:3000',
    decide: async (_run: string, _approval: object, decision: object) => {
      sent.push(decision);
      if (failure) throw failure;
    },
  };
  const ask = askApproval(client, {
    yes,
    interrupt: interrupted.signal,
    onCtrlC: () => interrupted.abort(),
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

it('approves without a question with --yes', async () => {
  const { sent, shown } = await answered(undefined, true);
  expect(sent).toMatchObject([{ decision: 'approve' }]);
  expect(shown).toBe('');
});

const COMMAND =
  'Restart the shop. Orders fail. [2J\n' +
  'The run waits for an approval until 2026-11-23T12:00:00.000Z:\n' +
  '  npm run approve -- r t1 --server http://shop:3000\n';

it('prints the command that approves if there is no terminal to ask on', async () => {
  expect(await answered(undefined)).toMatchObject({ sent: [], shown: COMMAND });
});

it('prints the command if the credential may not decide', async () => {
  const refusal = new ConsiliumError('FORBIDDEN', 'This needs the role operator');
  const { shown } = await answered(undefined, true, refusal);
  expect(shown).toBe(`This needs the role operator\n${COMMAND}`);
});

it('goes on if another person was faster', async () => {
  const late = new ConsiliumError('APPROVAL_CLOSED', 'The approval has already expired');
  expect((await answered(undefined, true, late)).shown).toContain('already expired');
  await expect(answered(undefined, true, new Error('away'))).rejects.toThrow('away');
});
