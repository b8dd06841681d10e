import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { completed, spec, started } from '../../../test/support/incidents/drafts.js';
import type { RunSpec } from '../../domain/run.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import type { RoleBehaviour } from '../roles/role-behaviour.js';
import { AgentOpener } from './agent-opener.js';

const RUN = '01960d3c-5f2a-7cc0-8000-0123456789ab';
let errors: jest.Spied<Logger['error']>;
beforeEach(() => void (errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined)));
afterEach(() => errors.mockRestore());

/** Opens the job of an agent that its run does not have. */
async function openUnknown(log: MemoryLog) {
  await log.create(RUN, spec, [started]);
  const others = [] as never as [never, never, never, never];
  const opener = new AgentOpener(log, ...others);
  const job = { runId: RUN, dispatchId: null, agentId: 'none', task: '' };
  return opener.open(job, {} as RoleBehaviour, new AbortController(), {
    stalls: 0,
    suspectAt: 0,
    again: false,
    sessionName: 's',
  });
}

it('reports an agent that its run does not have', async () => {
  expect(await openUnknown(new MemoryLog())).toEqual({ kind: 'unknownAgent' });
  expect(errors).toHaveBeenCalledTimes(1);
});

it('reports none of a run that ended after the claim', async () => {
  class EndedLog extends MemoryLog {
    override async spec(runId: string): Promise<RunSpec | undefined> {
      await this.seal(runId, () => completed);
      return undefined;
    }
  }
  expect(await openUnknown(new EndedLog())).toEqual({ kind: 'nothing' });
  expect(errors).not.toHaveBeenCalled();
});
