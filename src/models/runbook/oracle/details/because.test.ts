import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  OWN,
  SPOKEN,
  ask,
  finding,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

const SLOW = {
  status: 'degraded',
  summary: 'answered 200 OK in 3004 ms',
  measurements: {},
  issues: [
    {
      severity: 'critical',
      symptom: 'slow',
      kind: 'latency',
      detail: '',
      title: 'answers in 3004 ms',
    },
  ],
};
const FAST = { status: 'ok', summary: 'answered 200 OK in 9 ms', measurements: {}, issues: [] };
/** What the tools say if some nodes are slow now. */
const slow =
  (...nodes: string[]) =>
  (tool: string, args: JsonObject): Json =>
    tool === 'http_probe'
      ? nodes.includes(args['node'] as string)
        ? SLOW
        : FAST
      : tell(tool, args);
const now = (question: string, ...nodes: string[]) =>
  ask(question, { topology: OWN, answer: slow(...nodes) }).text;

describe('whether something is slow because of another node', () => {
  it('is no if it is not slow, whatever the other node is', () => {
    expect(now('is catalog slow because of payments?', 'payments')).toBe(
      [
        'No. Nothing was found to be wrong about response times where it was measured:',
        '- Catalog: answered 200 OK in 9 ms',
        'That was measured just now.',
      ].join('\n'),
    );
    expect(now('is checkout slow due to payments?', 'payments')).toMatch(/^No\. Nothing /);
  });

  it('is yes only if it depends on the other node, and that is wrong', () => {
    expect(now('is checkout slow because of payments?', 'checkout', 'payments')).toMatch(
      /^Yes\. Checkout depends on Payments, and something is wrong there\. Found about response times:\n- Checkout: answers in 3004 ms\n/,
    );
    expect(now('is catalog slow because of payments?', 'catalog', 'payments')).toMatch(
      /^No, not by the topology: Catalog does not depend on Payments\. Found about response times:\n- Catalog: /,
    );
    expect(now('is checkout slow because of payments?', 'checkout')).toMatch(
      /^No\. Nothing was found to be wrong with Payments\. Found about response times:\n- Checkout: /,
    );
  });

  it('is unknown if the other node could not be measured', () => {
    const answer = (tool: string, args: JsonObject) =>
      tool === 'http_probe' && args['node'] === 'payments'
        ? new Error('no result')
        : slow('checkout')(tool, args);
    expect(ask('is checkout slow because of payments?', { topology: OWN, answer }).text).toMatch(
      /^I cannot tell: of Payments it was not measured\. Found about response times:/,
    );
  });

  it('is answered by the diagnosis in a chat without a topology', () => {
    const slowNode = (node: string) => ({
      ...finding(node, 'answers in 3004 ms', [45]),
      kind: 'latency',
      symptom: 'slow',
    });
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args);
      const findings = [slowNode('checkout'), slowNode('payments')];
      const report = { ...BROKEN, root_causes: [], findings };
      return tool === 'get_run' ? { ...(told as JsonObject), report } : told;
    };
    const text = (question: string) => ask(question, { said: SPOKEN, answer }).text;
    expect(text('is checkout slow because of payments?')).toMatch(/^Yes\. Checkout depends on /);
    expect(text('is catalog slow because of payments?')).toMatch(
      /^I cannot tell\. Nothing about response times was measured at Catalog\./,
    );
    expect(text('is catalog failing because of payments?')).toMatch(/^No\.\nNothing was found /);
  });
});
