import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  LINE,
  RUNS,
  SPOKEN,
  ask,
  finding,
  id,
  tell,
  tellAllBroken,
} from '../../../../../test/support/incidents/oracle-questions.js';

describe('how to fix it', () => {
  it('is answered with the next steps of the report', () => {
    const next_steps = [
      {
        text: 'Restart payments',
        node: 'payments',
        access: 'change',
        command: 'systemctl restart pay',
      },
      { text: 'Look at its log.', access: 'read' },
    ];
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_run'
        ? {
            ...(RUNS[1] as object),
            report: { ...BROKEN, headline: 'Payments is down', next_steps },
          }
        : tell(tool, args);
    expect(ask('how do I fix it?', { said: SPOKEN, answer }).text).toBe(
      `Payments is down.\n1. **Change**: Restart payments. \`systemctl restart pay\`\n2. **Look**: Look at its log.\n${LINE}`,
    );
  });

  it('is answered with the steps of an aspect, if the question names one', () => {
    const next_steps = [
      { text: 'Look at the log of Payments.', node: 'payments', access: 'read', evidence: [45] },
      { text: 'Compare its password.', node: 'payments', access: 'read', evidence: [45] },
      { text: 'Free space on the volume.', node: 'payments', access: 'change', evidence: [58] },
      { text: 'Raise the limit.', node: 'payments', access: 'change', evidence: [58] },
    ];
    const findings = [finding('payments', 'memory is full', [58])];
    const report = { ...BROKEN, findings, next_steps };
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_run' ? { ...(RUNS[1] as object), report } : tell(tool, args);
    const steps = (question: string) =>
      ask(question, { said: SPOKEN, answer }).text.split('\n').slice(1, -1);
    for (const words of ['password', 'credentials', 'login'])
      expect(steps(`how do I fix the ${words} of payments?`)).toEqual([
        'The steps about credentials, 1 of 4:',
        '1. **Look**: Compare its password.',
      ]);
    expect(steps('what should I do about the disk?')).toEqual([
      'The steps about disks, 1 of 4:',
      '1. **Change**: Free space on the volume.',
    ]);
    // The finding that they answer names it.
    expect(steps('how do I fix the memory of payments?')).toEqual([
      'The steps about memory, 2 of 4:',
      '1. **Change**: Free space on the volume.',
      '2. **Change**: Raise the limit.',
    ]);
  });

  it('is that of the only topology with a root cause, if none was named', () => {
    const everywhere = ask('what is broken right now?').text;
    for (const said of [[], [...SPOKEN, { by: 'oracle' as const, text: everywhere }]])
      expect(ask('how do I fix it?', { said }).text).toMatch(
        /^The report of this run suggests no next steps\.\nroot cause found: Payments/,
      );
  });

  it('asks which topology is meant if several have a root cause', () => {
    expect(ask('how do I fix it?', { answer: tellAllBroken }).text).toBe(
      'Which topology? Several have a root cause:\n- 7: Shop\n- 2: Blog',
    );
  });

  it.each([
    'which one first?',
    'what first?',
    'which one should I fix first?',
    'how should we prioritize?',
  ])('goes through all root causes in an order with its reason: %s', (question) => {
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tellAllBroken(tool, args);
      if (tool !== 'get_run' || (told as { topology_id: number }).topology_id !== 2) return told;
      const cause = { node: 'press', title: 'Press: answers 500', confidence: 0.95 };
      const causes = [{ ...cause, evidence: [12] }];
      return { ...(told as JsonObject), report: { ...BROKEN, root_causes: causes } };
    };
    const apart = (tool: string, args: JsonObject): Json => {
      const told = answer(tool, args);
      if (tool !== 'get_run' || (told as { topology_id: number }).topology_id !== 7) return told;
      const root_causes = BROKEN.root_causes.map((cause) => ({ ...cause, explains: [] }));
      return { ...(told as JsonObject), report: { ...BROKEN, root_causes } };
    };
    const shop = 'Payments: connection refused (93 % sure, events 45, 47), in Shop (topology 7)';
    const press = 'Press: answers 500 (95 % sure, event 12), in Blog (topology 2)';
    expect(ask(question, { answer }).text).toContain(
      [
        'In this order: what affects most nodes first, and of those alike what is surest.',
        `1. ${shop}. It affects Checkout.`,
        `2. ${press}. It affects no other node.`,
        'For the steps of one, ask how to fix it by its name.',
      ].join('\n'),
    );
    expect(ask(question, { answer: apart }).text).toMatch(/1\. Press: .*2\. Payments: /s);
  });

  it('names those with a root cause if the conversation has last discussed a healthy one', () => {
    const wiki = { id: 3, name: 'Wiki', nodes: 1 };
    const healthy = { ...(RUNS[0] as object), run_id: id(5), topology_id: 3 };
    const answer = (tool: string, args: JsonObject): Json => {
      if (tool === 'get_run' && args['run_id'] === id(5)) return healthy;
      if (tool === 'list_runs' && args['topology_id'] === 3) return { runs: [healthy] };
      if (tool !== 'list_topologies') return tellAllBroken(tool, args);
      const { topologies } = tell(tool, args) as { topologies: Json[] };
      return { topologies: args['naming'] === undefined ? [...topologies, wiki] : topologies };
    };
    const said = [`Nothing was found to be wrong.\nRun ${id(5)} of topology 3 (Wiki) completed.`];
    expect(ask('how do I fix it?', { answer, said }).text).toContain(
      '\nSomething is wrong elsewhere: Shop (topology 7) and Blog (topology 2).',
    );
    expect(ask('how do I fix topology 3?', { answer, said }).text).toMatch(
      /^The report of this run suggests no next steps/,
    );
  });

  it('is unknown if the report has no next steps', () =>
    expect(ask('how can we fix payments?').text).toMatch(
      /^The report of this run suggests no next steps for Payments\.\nPayments is the root cause/,
    ));
});
