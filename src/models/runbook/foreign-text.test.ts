import { expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { hostileText, markupIn } from '../../../test/support/hostile/hostile-markdown.js';
import {
  ask,
  BROKEN,
  id,
  RUNS,
  SHOP,
  tell,
} from '../../../test/support/incidents/oracle-questions.js';
import type { Json, JsonObject } from '../../lib/json.js';
import { planWorker } from './plan-worker.js';
import { markdownOf } from './plan.js';

const QUESTIONS = [
  'what is wrong with topology 7?',
  'why?',
  'show me the log lines',
  'how do I fix it?',
  'what was checked?',
  'since when?',
  'how long did it take?',
  'list the runs',
  'list the topologies',
  'describe topology 7',
  'what depends on payments?',
  'what happened at 08:30?',
  'compare topology 7 and 2',
  'compare the last two runs of topology 7',
  'what waits for an approval?',
  'is everything ok?',
  'diagnose topology 7',
  'diagnose it',
  'is xyzzy broken?',
  'hello',
];

/**
 * What the tools of the oracle answer if every text of a probed system or of a topology is `text`.
 */
function tellHostile(text: string) {
  const shop = {
    ...SHOP,
    name: text,
    nodes: SHOP.nodes.map((node) => ({ ...node, name: node.id === 'payments' ? node.name : text })),
  };
  const report = {
    ...BROKEN,
    headline: text,
    root_causes: BROKEN.root_causes.map((cause) => ({ ...cause, title: text })),
    findings: BROKEN.findings.map((finding) => ({ ...finding, title: text, detail: text })),
    unchecked: [{ node: 'orders-db', reason: text }],
    next_steps: [{ text, access: 'change', node: 'payments', command: `echo ${text}` }],
    repairs: [{ node: 'payments', outcome: 'done', text, decided_by: text }],
  };
  const approvals = [{ message: text, risk: text, expires_at: '2026-11-22T13:00:00.000Z' }];
  return (tool: string, args: JsonObject): Json | Error => {
    if (tool === 'get_topology') return shop;
    if (tool === 'list_topologies')
      return { topologies: [{ id: 7, name: text, nodes: 5, named: [text] }], more: false };
    if (tool === 'read_log') return { events: [{ sequence: 45, timestamp: '', excerpt: text }] };
    const found = RUNS.find(({ run_id }) => run_id === args['run_id']) ?? RUNS[1];
    const run = { ...found, summary: text, topology_name: text, topology_id: 7 };
    if (tool === 'get_run' || tool === 'start_diagnosis') return { ...run, report, approvals };
    if (tool === 'list_runs') return { runs: [run, { ...run, run_id: id(2) }] } as unknown as Json;
    return tool === 'http_probe' ? new Error(text) : tell(tool, args);
  };
}

const OWN_MARKUP = ['strong'];

test.each(QUESTIONS)('no answer to "%s" has markup of others', (question) =>
  fc.assert(
    fc.property(hostileText, (text) => {
      const { plan } = ask(question, {
        answer: tellHostile(text),
        said: [`Run ${id(3)} of topology 7 (x)`],
      });
      expect(markupIn(markdownOf(plan).text).filter((type) => !OWN_MARKUP.includes(type))).toEqual(
        [],
      );
    }),
    { numRuns: 15 },
  ),
);

it('no text of a diagnosing agent has markup of others', () =>
  fc.assert(
    fc.property(hostileText, (text) => {
      const plan = planWorker(
        {
          role: 'worker',
          node: { id: 'web', name: text, kind: 'service', dependsOn: [], attributes: {} },
          firstLook: [],
        },
        [
          {
            id: 't1',
            tool: 'http_probe',
            args: { node: 'web' },
            failed: false,
            output: { status: 'failed', summary: text, measurements: {}, issues: [] },
          },
        ],
        new Set(),
      );
      const { reasoning, text: said } = markdownOf(plan);
      expect([...markupIn(reasoning), ...markupIn(said)]).toEqual([]);
    }),
  ));

it('keeps the markup of an error out of an answer', () => {
  const answer = () => new Error('![x](http://evil.example/p.png)');
  const { plan } = ask('list the runs', { answer });
  expect(markdownOf(plan).text).toBe(
    'I could not find that out: `![x](http://evil.example/p.png)`',
  );
});
