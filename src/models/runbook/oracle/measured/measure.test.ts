import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  OWN,
  SPOKEN,
  WELL,
  ask,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

const OK = { status: 'ok', summary: 'answered 200', measurements: {}, issues: [] };
const DOWN = {
  status: 'failed',
  summary: 'no answer',
  measurements: {},
  issues: [{ severity: 'critical', symptom: 'unreachable', title: 'refuses', detail: '' }],
};

/**
 * What the tools say if some nodes are wrong now, and the latest diagnosis of the shop found
 * `report`.
 */
const now =
  (wrong: readonly string[], report: object = BROKEN) =>
  (tool: string, args: JsonObject): Json => {
    if (tool === 'http_probe') return wrong.includes(args['node'] as string) ? DOWN : OK;
    const told = tell(tool, args);
    return tool === 'get_run' ? ({ ...(told as JsonObject), report } as Json) : told;
  };
/** What the tools say if one measurement of Payments has an issue. */
const finding =
  (issue: object) =>
  (tool: string, args: JsonObject): Json =>
    tool === 'http_probe' && args['node'] === 'payments'
      ? {
          status: 'degraded',
          summary: 'answered',
          measurements: {},
          issues: [{ severity: 'critical', detail: '', ...issue }],
        }
      : now([])(tool, args);
const said = (question: string, answer: (tool: string, args: JsonObject) => Json | Error) =>
  ask(question, { topology: OWN, answer, said: SPOKEN }).text.split('\nMeasured just now:')[0];
const COMPARED =
  'Measured at 2026-11-22 13:00:00 UTC, compared with the diagnosis of 2026-11-22 08:30:02 UTC.';

describe('whether it is fixed, in a chat about a topology', () => {
  it.each(['is it fixed?', 'is it ok now?', 'did the restart help?', 'has it recovered?'])(
    'is answered with yes, no or partly by what is measured now, compared with the last diagnosis: %s',
    (question) => {
      expect(said(question, now([]))).toBe(
        `Yes. No longer wrong: Checkout and Payments. Nothing is wrong with what was measured.\n${COMPARED}`,
      );
      expect(said(question, now(['payments', 'checkout']))).toBe(
        `No. Still wrong: Checkout (refuses) and Payments (refuses).\n${COMPARED}`,
      );
      expect(said(question, now(['payments', 'web']))).toBe(
        `Partly. Still wrong: Payments (refuses). Wrong now: Storefront (refuses). No longer wrong: Checkout.\n${COMPARED}`,
      );
    },
  );

  it('is answered so of a failure as well', () => {
    expect(said('is it still broken?', now(['payments', 'checkout']))).toMatch(
      /^Yes\. Still wrong: /,
    );
    expect(said('is it still down?', now([]))).toMatch(/^No\. No longer wrong: /);
  });

  it('is unknown if a node could not be measured', () => {
    const answer = (tool: string, args: JsonObject) =>
      args['node'] === 'payments' ? new Error('no result') : now([])(tool, args);
    expect(said('is it fixed?', answer)).toBe(
      `I cannot tell. No longer wrong: Checkout. Not measured: Payments.\n${COMPARED}`,
    );
  });

  it('is answered without a comparison where there is no diagnosis', () => {
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'list_runs' ? { runs: [] } : now(['web'])(tool, args);
    const { text } = ask('is it fixed?', { topology: OWN, answer });
    expect(text).toMatch(/^No\. Found wrong: Storefront \(refuses\)\.\nMeasured just now:/);
  });

  it('names what is wrong where nothing was before', () =>
    expect(said('is it ok now?', now(['web'], WELL))).toBe(
      `No. Found wrong: Storefront (refuses).\n${COMPARED}`,
    ));

  it.each(['is the catalog fixed?', 'has catalog recovered?'])(
    'says of a node that was not wrong that it was not, and what else is: %s',
    (question) => {
      expect(said(question, now(['payments']))).toBe(
        `Catalog was not wrong in the diagnosis of 2026-11-22 08:30:02 UTC and is not now. Still wrong: Payments (refuses). No longer wrong: Checkout.\n${COMPARED}`,
      );
      expect(said(question, now(['catalog', 'payments', 'checkout']))).toBe(
        `Still wrong: Checkout (refuses) and Payments (refuses). Wrong now: Catalog (refuses).\n${COMPARED}`,
      );
    },
  );

  it('is yes of a node that an earlier diagnosis found wrong', () => {
    const answer = (tool: string, args: JsonObject): Json =>
      now([], args['run_id'] === id(3) ? WELL : BROKEN)(tool, args);
    expect(said('is payments fixed?', answer)).toMatch(/^Yes\. /);
  });

  it('is not said where the question does not ask it', () => {
    expect(ask('check checkout', { topology: OWN, answer: now(['web']) }).text).toMatch(
      /^Measured just now:/,
    );
    expect(said('check everything', now(['web']))).toBe('Found wrong: Storefront (refuses).');
  });

  it('is answered partly where something only needs attention', () => {
    const answer = finding({ severity: 'warning', symptom: 'advisory', title: 'its cache fails' });
    expect(said('is payments ok?', answer)).toBe(
      `Partly. Needs attention: Payments (its cache fails).\n${COMPARED}`,
    );
    expect(said('is payments down?', answer)).toBe(
      `No. Needs attention: Payments (its cache fails).\n${COMPARED}`,
    );
    expect(said('is everything ok?', answer)).toBe(
      `Partly. Needs attention: Payments (its cache fails). No longer wrong: Checkout.\n${COMPARED}`,
    );
  });

  it.each([
    [
      { symptom: 'slow', kind: 'latency', title: 'answers in 3006 ms' },
      /^No\. Not down, but wrong/,
    ],
    [{ symptom: 'invalid', title: 'certificate expired' }, /^No\. Not down, but wrong/],
    [{ symptom: 'slow', kind: 'timeout', title: 'no answer within 5000 ms' }, /^Yes\. Still wrong/],
    [{ symptom: 'erroring', title: 'answers 503' }, /^Yes\. Still wrong/],
  ])('says down only of what does not answer, or answers with errors: %j', (issue, expected) => {
    expect(said('is payments down?', finding(issue))).toMatch(expected);
    expect(said('is payments ok?', finding(issue))).toMatch(/^No\. Still wrong: Payments/);
  });
});

describe('a chat that may not measure', () => {
  const topology = { ...OWN, nodes: OWN.nodes.map((node) => ({ ...node, firstLook: [] })) };

  it('answers by the latest diagnosis, and says when that was', () => {
    const { text, called } = ask('is checkout ok?', { topology });
    expect(text).toMatch(
      /^I cannot measure Checkout in this conversation\. By the latest diagnosis:\nNo, not at 2026-11-22 08:30:02 UTC, when it was last measured\.\nCheckout: answers 502/,
    );
    expect(called.join()).not.toContain('probe');
    expect(ask('is it fixed?', { topology, said: SPOKEN }).text).not.toContain('just now');
  });

  it('names the source that it would need', () => {
    const tools = new Set(['list_topologies', 'get_topology', 'navigate_to_page']);
    expect(ask('is checkout ok?', { topology, tools }).text).toBe(
      'I may not look that up: runs is not among the sources of this question.',
    );
    expect(ask('is checkout ok?', { tools: new Set(['list_runs', 'get_run']) }).text).toBe(
      'I may not look that up: topologies is not among the sources of this question.',
    );
  });
});
