import type { Client } from '../../client/index.js';
import { followRun, type FollowOptions, type RunEnding } from '../follow-run.js';
import { count } from '../report/layout.js';
import { askApproval } from './ask-approval.js';

export interface RepairOptions extends Omit<FollowOptions, 'onApproval' | 'repair'> {
  /** Approves every change, without a question. */
  yes: boolean;
  /** Where questions and notes are written. */
  notes: NodeJS.WriteStream;
}

/**
 * Diagnoses a topology, lets its agents ask for repairs, and diagnoses it again if one was carried
 * out.
 * @returns the outcome of the last run
 */
export async function diagnoseAndRepair(
  client: Client,
  { yes, notes, ...options }: RepairOptions,
): Promise<RunEnding> {
  const { interrupt } = options;
  const say = (line: string): void => void notes.write(`${line}\n`);
  const onApproval = askApproval(client, {
    yes,
    interrupt,
    input: process.stdin,
    output: notes,
    onCtrlC: () => process.kill(process.pid, 'SIGINT'),
  });
  const first = await followRun(client, { ...options, repair: true, onApproval });
  if (interrupt.aborted) return first;
  const repairs = first.last.data.report?.repairs ?? [];
  const done = repairs.filter(({ outcome }) => outcome === 'done').length;
  if (done === 0) {
    say(`\nNothing was repaired${repairs.length === 0 ? ': no repair is known for this' : ''}.`);
    return first;
  }
  say(`\n${count(done, 'repair')} done. Diagnosing again to verify …\n`);
  const second = await followRun(client, options);
  if (!interrupt.aborted)
    say(
      second.verdict === 'healthy'
        ? '\nVerified: everything is healthy after the repair.'
        : '\nThe repair was carried out, but not everything is healthy.',
    );
  return second;
}
