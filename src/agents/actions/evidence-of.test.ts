import { describe, expect, it } from '@jest/globals';
import { sessionOf, type SessionSketch } from '../../../test/support/models/agent-session.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { READ_AGAIN } from '../../domain/context/view.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import type { Message } from '../runtime/conversation.js';
import { evidenceOf, reconciled } from './evidence-of.js';

const broken = {
  status: 'failed',
  summary: 'answers 500',
  measurements: {},
  issues: [{ severity: 'critical', symptom: 'erroring', title: 'answers 500', detail: '' }],
};
const resultOf = (id: string, node: string, result: object): DraftEvent => ({
  name: 'llm.tool_result',
  source: null,
  data: {
    tool: 'look',
    tool_call_id: id,
    status: 'ok',
    duration_ms: 1,
    truncated: false,
    node,
    subject: '',
    measures: 'service',
    result: result as never,
    dispatch_id: 'd1_1',
    turn: 1,
    attempt: 1,
  },
});

/** A log with a failing result of the worker of `web`, and one of the worker of `db`. */
async function logOf(): Promise<MemoryLog> {
  const log = new MemoryLog();
  await log.create('run', sessionOf().session.spec, []);
  await log.claim('run', 'w');
  await log.append('run', {
    writer: 'w',
    epoch: 1,
    step: 1,
    checkpoint: null,
    events: [resultOf('d1_1_t1', 'web', broken), resultOf('d1_2_t1', 'db', broken)],
  } as never);
  return log;
}

const claim = (title: string, ...evidence: (string | number)[]) => ({
  node: 'web',
  severity: 'critical' as const,
  title,
  detail: '',
  evidence,
});
/**
 * A session whose process has nothing in its memory but what the log gives it: as after a resume.
 */
const reporting = (findings: ReturnType<typeof claim>[], more: SessionSketch = {}) =>
  sessionOf({
    ...more,
    board: { conclusion: { status: 'ok', summary: '', findings, root_causes: [] } as never },
  }).session;
const titlesIn = async (session: ReturnType<typeof reporting>) => {
  const { findings, dropped } = reconciled(session, await evidenceOf(session, await logOf()));
  return {
    kept: findings.map(({ title, explanation, evidence }) => [title, explanation, evidence]),
    dropped: dropped.map(({ title }) => title),
  };
};

describe('C6: the evidence of a claim', () => {
  it('is read from the log, also by a process that took the agent over', async () => {
    const [first] = await (await logOf()).evidence('run');
    const { kept, dropped } = await titlesIn(reporting([claim('its pool is empty', 'd1_1_t1')]));
    expect(kept).toEqual([['answers 500', 'its pool is empty.', [first?.[1]]]]);
    expect(dropped).toEqual([]);
  });

  it.each<[string, string | number]>([
    ['a call that no one made', 'd1_1_t9'],
    ['a sequence without a result', 99],
    ['words', 'the page says so'],
    ['nothing', ''],
  ])('is no evidence if it is %s', async (_, citation) => {
    const { kept, dropped } = await titlesIn(reporting([claim('is down', citation)]));
    expect(dropped).toEqual(['is down']);
    expect(kept.map(([title]) => title)).toEqual(['answers 500']);
  });

  it('may be a result of another agent about a neighbour', async () => {
    const { dropped } = await titlesIn(reporting([claim('cannot reach its database', 'd1_2_t1')]));
    expect(dropped).toEqual([]);
  });

  it('is the result itself if the claim cites the call that showed it again', async () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'd1_1_t2', tool: READ_AGAIN, args: { id: 'd1_1_t1' } }],
      },
      {
        role: 'result',
        id: 'd1_1_t2',
        failed: false,
        output: { measurements: { result_of: 'd1_1_t1', part: 'answers 500', next: null } },
      },
    ];
    const session = reporting([claim('its pool is empty', 'd1_1_t2')], { messages });
    const { kept, dropped } = await titlesIn(session);
    expect(dropped).toEqual([]);
    expect(kept[0]?.[1]).toBe('its pool is empty.');
  });

  it('is not what the page of a target calls a result', async () => {
    const messages: Message[] = [
      { role: 'assistant', text: '', calls: [{ id: 'd1_1_t2', tool: 'look', args: {} }] },
      {
        role: 'result',
        id: 'd1_1_t2',
        failed: false,
        output: { measurements: { result_of: 'd1_1_t1' } },
      },
    ];
    const session = reporting([claim('is down', 'd1_1_t2')], { messages });
    expect((await titlesIn(session)).dropped).toEqual(['is down']);
  });
});

describe('a report', () => {
  it('has the measured issues of its own agent only', async () => {
    const { findings, unreported } = reconciled(
      reporting([]),
      await evidenceOf(reporting([]), await logOf()),
    );
    expect(findings.map(({ node }) => node)).toEqual(['web']);
    expect(unreported).toHaveLength(1);
  });

  it('takes the name of the node out of the title of a root cause', async () => {
    const causes = [{ node: 'web', title: 'The web: answers 500', evidence: ['d1_1_t1'] }];
    const { session } = sessionOf({
      board: {
        conclusion: { status: 'ok', summary: '', findings: [], root_causes: causes } as never,
      },
    });
    const { report } = await evidenceOf(session, await logOf());
    expect(report.findings).toMatchObject([{ title: 'answers 500', severity: 'critical' }]);
  });
});
