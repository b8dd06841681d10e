import { describe, expect, it, test } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  LINE,
  RUNS,
  SPOKEN,
  ask,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

const THEN = 'That was then; for what is now, ask me to "diagnose topology 7".';

describe('a question about a fault', () => {
  it('in a node is answered from the latest diagnosis with that node, including its dependencies', () => {
    const { text, called } = ask('what is wrong with checkout?');
    const looked = ['list_topologies', 'get_topology', 'list_runs', 'get_run'];
    expect(called).toEqual(looked);
    expect(text).toBe(
      `Checkout: answers 502 (critical, event 58). It depends on the root cause Payments: connection refused (93 % sure, events 45, 47).\nMeasured then:\n- 58: Checkout: http_probe: answers 502\n${LINE}\n${THEN}`,
    );
  });

  it('is not called old if the diagnosis has just ended', () => {
    const now = '2026-11-22T08:33:00Z';
    expect(ask('what is wrong with checkout?', { now }).text).not.toContain(THEN);
    for (const question of ['checkout is down', 'topology 7', 'and checkout?'])
      expect(ask(question, { said: SPOKEN }).text).toContain(`${LINE}\n${THEN}`);
  });

  it('in a conversation about an earlier diagnosis says that there is a later one', () => {
    const said = [`Root cause: Payments.\n${LINE.replaceAll(id(3), id(2))}`];
    const later =
      'It was diagnosed again at 2026-11-22 08:30:00 UTC; ask me about the latest run of topology 7.';
    const { text } = ask('what about checkout?', { said });
    expect(text.split('\n').at(-1)).toBe(later);
    const next = ask('what did the latest run of topology 7 find?', { said: [...said, text] });
    expect(next.text).toContain(LINE);
    expect(next.text).not.toContain(later);
  });

  it('in the root cause names the affected nodes', () =>
    expect(ask('is Payments down?').text).toBe(
      `Yes, at 2026-11-22 08:30:02 UTC, when it was last measured.\nPayments is the root cause: connection refused (93 % sure, events 45, 47). Checkout is affected by Payments.\n${LINE}\n${THEN}`,
    ));

  test.each([
    ['why is Payments slow?', 'Nothing about response times was measured at Payments.'],
    ['why is the shop slow?', 'Nothing about response times was measured.'],
    ['is the orders database slow?', 'I cannot tell. Nothing about response times was measured'],
    ['what is wrong with Payments?', 'Payments is the root cause: connection refused'],
  ])('says whether slowness was measured, if that is asked: %s', (question, first) =>
    expect(ask(question).text.split('\n')[0]).toContain(first),
  );

  it('in a healthy or unchecked node says so', () => {
    expect(ask('any problem with the catalog?').text).toMatch(
      /^No, at [^\n]* nothing was found to be wrong with Catalog\.\nCatalog does not depend on the root cause Payments\.\n/,
    );
    expect(ask('is the orders database ok?').text).toMatch(
      /^(?:I cannot tell: .*\n)?Orders database was not checked: it timed out\./,
    );
  });

  it('in a topology finds it by its name', () => {
    expect(ask('what is wrong with the shop?').text).toBe(
      [
        'Root cause: Payments: connection refused (93 % sure, events 45, 47).',
        'Suffering from it:',
        '- Checkout: answers 502 (critical, event 58)',
        'Not checked: Orders database (it timed out).',
        LINE,
        THEN,
      ].join('\n'),
    );
    expect(ask('what happened in the last run of Blog?').text).toMatch(
      /^Nothing was found to be wrong\.\nRun .* of topology 2 \(Blog\)/,
    );
  });

  it('in an unknown node is not guessed', () =>
    expect(ask('what is wrong with billing?').text).toMatch(/^I know no node called "billing"/));

  it('before the first diagnosis says that there is none', () =>
    expect(
      ask('what is wrong?', {
        answer: (tool, args) => (tool === 'list_runs' ? { runs: [] } : tell(tool, args)),
      }).text,
    ).toBe('No diagnosis has completed yet. Ask me to "diagnose topology N".'));
});

describe('a repair', () => {
  const repairs = [
    {
      node: 'payments',
      tool: 'restart_process',
      outcome: 'done',
      text: 'Restarted',
      decided_by: 'ann',
      evidence: [70],
    },
    {
      node: 'checkout',
      tool: 'restart_process',
      outcome: 'refused',
      text: 'bob refused it.',
      decided_by: 'bob',
      evidence: [71],
    },
  ];
  const LINES = [
    '- Payments, done: Restarted. Approved by ann.',
    '- Checkout, refused: bob refused it.',
  ];
  const repaired = (tool: string, args: JsonObject): Json =>
    tool === 'get_run'
      ? { ...(RUNS[1] as object), report: { ...BROKEN, repairs } }
      : tell(tool, args);
  const waiting = (tool: string, args: JsonObject): Json => {
    const run = {
      ...(RUNS[1] as object),
      status: 'running',
      ended_at: null,
      report: null,
      summary: null,
    };
    if (tool === 'list_runs') return { runs: args['status'] === 'running' ? [run] : [] };
    if (tool !== 'get_run') return tell(tool, args);
    const approval = {
      message: 'Restart the process of Payments.',
      risk: 'Requests fail.',
      expires_at: '2026-11-22T09:00:00.000Z',
    };
    return { ...run, approvals: [approval] };
  };
  const WAITS = `It waits for the approval of a person:\n- Restart the process of Payments. Requests fail. It can be approved until 2026-11-22 09:00:00 UTC.\nRun ${id(3)} of topology 7 (Shop) is running.`;

  it('is mentioned in an answer about its run, and about its node', () => {
    expect(ask('what is wrong with the shop?', { answer: repaired }).text).toContain(
      `Repairs:\n${LINES.join('\n')}\n`,
    );
    const { text } = ask('what is wrong with payments?', { answer: repaired });
    expect(text).toContain(LINES[0]);
    expect(text).not.toContain(LINES[1]);
  });

  it('that waits for an approval is mentioned in an answer about its run', () =>
    expect(ask(`what did run ${id(3)} find?`, { answer: waiting }).text).toBe(WAITS));

  it.each([
    'what waits for an approval?',
    'is there an open approval?',
    'which approvals does the shop need?',
  ])('is found by the question "%s"', (question) =>
    expect(ask(question, { answer: waiting }).text).toBe(WAITS),
  );

  it.each(['was it repaired?', 'what was repaired?', 'were the repairs approved?'])(
    'that was made is found by the question "%s"',
    (question) => {
      expect(ask(question, { answer: repaired, said: SPOKEN }).text).toContain(LINES[0]);
      expect(ask(question, { said: SPOKEN }).text).toBe(`No change was asked for.\n${LINE}`);
    },
  );
});

describe('a root cause that depends on another one', () => {
  const cause = (node: string, chain: string[]) => ({
    node,
    title: 'connection refused',
    confidence: 0.9,
    evidence: [45],
    chain,
  });
  const withChain = (chain: string[]) => (tool: string, args: JsonObject) => {
    const told = tell(tool, args) as JsonObject;
    const root_causes = [cause('payments', chain), cause('checkout', ['checkout'])];
    return tool === 'get_run'
      ? ({ ...told, report: { ...BROKEN, root_causes } } as unknown as JsonObject)
      : told;
  };

  it('is affected by it only if its chain says so', () => {
    const said = (chain: string[]) => ask('is payments ok?', { answer: withChain(chain) }).text;
    expect(said(['payments'])).not.toContain('suffer');
    expect(said(['checkout', 'payments'])).toContain('Checkout is affected by Payments.');
  });
});
