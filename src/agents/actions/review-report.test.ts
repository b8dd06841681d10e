import { describe, expect, it } from '@jest/globals';
import {
  PAID_MODEL,
  sessionOf,
  turnOf,
  type SessionSketch,
} from '../../../test/support/models/agent-session.js';
import type { LogPort } from '../../event-log/log-port.js';
import { measured } from '../../../test/support/incidents/measured-shop.js';
import { needsReview, reviewReport } from './review-report.js';

const log = {
  measured: async () => ({
    evidence: new Map([['d1_1_t1', 5]]),
    measurements: [measured(5, 'web')],
  }),
} as unknown as LogPort;
const claim = (severity: string) => ({
  node: 'web',
  severity,
  title: 'is down',
  detail: '',
  evidence: ['d1_1_t1'],
});
const reported = (severity: string, more: SessionSketch['board'] = {}) =>
  sessionOf({
    messages: turnOf({ tool: 'report' }).slice(0, 1),
    board: {
      stop: true,
      ...more,
      conclusion: {
        status: 'ok',
        summary: '',
        findings: [claim(severity)],
        root_causes: [],
      } as never,
    },
  }).session.draft();

describe('C6: a report whose claims are not supported', () => {
  it('is handed back to the model once, with the reason', async () => {
    const draft = reported('critical');
    expect(needsReview(draft)).toBe(true);
    const step = await reviewReport(draft, log);
    expect(step?.messages).toMatchObject([
      {
        failed: true,
        output: expect.stringMatching(/"is down" \(web\): everything that it cites/),
      },
      { role: 'note', text: expect.stringContaining('call `report` again') },
    ]);
    // The claim is quoted as data; what the service asks for is not.
    expect(step?.messages?.at(-1)).not.toHaveProperty('origin');
    expect(JSON.stringify(step?.messages?.at(-1))).not.toContain('is down');
    expect(draft.board.stop).toBe(false);
    expect(needsReview(draft)).toBe(false);
  });

  it('that are supported stands', async () => {
    const draft = reported('info');
    expect(await reviewReport(draft, log)).toBeNull();
    expect(draft.board.stop).toBe(true);
  });

  it.each<[string, SessionSketch['board']]>([
    ['the agent failed', { failed: true }],
    ['it was reviewed before', { warned: ['claims'] }],
    ['no turn is left to correct it', { turn: 99 }],
    ['nothing was reported', { conclusion: null }],
  ])('is not reviewed if %s', (_, board) => {
    const { session } = sessionOf({ board: { conclusion: {} as never, ...board } });
    expect(needsReview(session.draft())).toBe(false);
  });

  it('is not reviewed if the deterministic planner made it: it would make the same again', () => {
    const { session } = sessionOf({
      board: { conclusion: {} as never },
      chain: [{ ...PAID_MODEL, isFree: true }],
    });
    expect(needsReview(session.draft())).toBe(false);
  });
});
