import { describe, expect, it, test } from '@jest/globals';
import { textOf, type Json, type JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  LINE,
  OWN,
  SPOKEN,
  ask,
  finding,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

/** As `tell`, with a report of every diagnosis. */
const telling =
  (report: object) =>
  (tool: string, args: JsonObject): Json => {
    const told = tell(tool, args) as JsonObject;
    return tool === 'get_run' ? ({ ...told, report } as unknown as Json) : told;
  };
/** As `tell`, with findings and measurements of the shop. */
const measuring =
  (findings: object[], measurements: object[] = []) =>
  (tool: string, args: JsonObject): Json => {
    const told = tell(tool, args) as JsonObject;
    const about = textOf(args, 'about').split(' , ');
    const of = (each: object) => about.includes((each as { node: string }).node);
    return tool === 'get_run' && told['topology_id'] === 7
      ? ({
          ...told,
          report: { ...BROKEN, root_causes: [], findings },
          measurements: measurements.filter(of),
        } as unknown as Json)
      : told;
  };
const found = (node: string, kind: string, title: string, symptom = 'erroring') => ({
  ...finding(node, title, [45]),
  kind,
  symptom,
});
const measured = (sequence: number, node: string, tool: string, summary: string) => ({
  sequence,
  node,
  tool,
  summary,
});
const THEN = 'That was then; for what is now, ask me to "diagnose topology 7".';

describe('a question about a topic', () => {
  test.each([
    ['how slow is checkout?', 'response times'],
    ['how much memory does checkout use?', 'memory'],
    ['CPU usage of checkout?', 'processor time'],
    ['how is the disk of checkout?', 'disks'],
    ['how many connections does checkout have?', 'the number of connections'],
    ['how is the password of checkout?', 'credentials'],
  ])('that was not measured at a node says so and nothing else: %s', (question, topic) =>
    expect(ask(question).text).toBe(
      [`Nothing about ${topic} was measured at Checkout.`, LINE, THEN].join('\n'),
    ),
  );

  test.each([
    ['is the certificate of checkout expiring?', 'certificates'],
    ['is the disk of checkout full?', 'disks'],
    ['are there any errors in the logs of checkout?', 'logs'],
    ['was checkout deployed recently?', 'changes'],
    ['is the cpu of checkout overloaded?', 'processor time'],
    ['is checkout slow?', 'response times'],
  ])(
    'that is answered with yes or no says that it cannot tell, and what is wrong: %s',
    (question, topic) =>
      expect(ask(question).text).toBe(
        [
          `I cannot tell. Nothing about ${topic} was measured at Checkout.`,
          'Found apart from that:',
          '- Payments: connection refused, a root cause (events 45, 47)',
          '- Checkout: answers 502 (event 58)',
          LINE,
          THEN,
        ].join('\n'),
      ),
  );

  it.each([
    ['is the certificate of checkout valid?', 'Yes, with a warning.'],
    ['any expired certs?', 'No, but there is a warning, in topology 7 (Shop).'],
    ['is there trouble with certificates?', 'Yes, in topology 7 (Shop).'],
  ])('is no failure while it has no effect yet: %s', (question, judgement) => {
    const soon = {
      ...found(
        'checkout',
        'certificate-expired',
        'certificate of checkout ends in 1 day',
        'advisory',
      ),
      severity: 'warning',
    };
    const { text } = ask(question, { said: SPOKEN, answer: measuring([soon]) });
    expect(text.split('\n')[0]).toBe(`${judgement} Found about certificates:`);
  });

  it('names what is wrong apart from it if someone asks why', () =>
    expect(ask('why is checkout slow?').text).toContain(
      'Found apart from that:\n- Payments: connection refused, a root cause (events 45, 47)\n',
    ));

  const REPORT = [
    found('orders-db', 'timeout', 'connected, but no complete answer within 5000 ms', 'slow'),
    found('catalog', 'latency', 'answers in 3004 ms', 'slow'),
    found('payments', 'cpu-saturated', 'load of 11.22 per core', 'saturated'),
    found('checkout', 'exception', 'answers 503 Service Unavailable: unable to resolve the disk'),
    found('web', 'unknown', 'answers 404 Not Found'),
  ];
  const WITH = [
    measured(11, 'web', 'http_probe', 'answers 404 Not Found in 2 ms'),
    measured(12, 'catalog', 'http_probe', 'answered 200 OK in 3004 ms'),
    measured(13, 'payments', 'host_resources', 'disk 29.5 %, memory 40 %, load 11.22 per core'),
    measured(14, 'checkout', 'http_probe', 'answers 503 Service Unavailable: the disk'),
  ];
  const TIMEOUT = 'Orders database: connected, but no complete answer within 5000 ms (event 45)';
  const SLOW = 'Catalog: answers in 3004 ms (event 45)';
  const CPU = 'Payments: load of 11.22 per core (event 45)';

  test.each([
    ['any timeouts?', 'Yes, in topology 7 (Shop). Found about time-outs:', [TIMEOUT]],
    ['are there time-outs', 'Yes, in topology 7 (Shop). Found about time-outs:', [TIMEOUT]],
    ['is the cpu overloaded?', 'Yes, in topology 7 (Shop). Found about processor time:', [CPU]],
    ['is the cpu ok?', 'No, in topology 7 (Shop). Found about processor time:', [CPU]],
    ['what is slow?', 'Found about response times:', [TIMEOUT, SLOW]],
    ['which nodes are slow?', 'Found about response times:', [TIMEOUT, SLOW]],
    ['is anything slow in the shop?', 'Yes. Found about response times:', [TIMEOUT, SLOW]],
    ['is catalog slow?', 'Yes. Found about response times:', [SLOW]],
  ])('lists what was found about it, and nothing else: %s', (question, head, lines) => {
    const { text } = ask(question, { said: SPOKEN, answer: measuring(REPORT, WITH) });
    const [first, ...rest] = text.split('\n');
    expect(first).toBe(head);
    expect(rest).toEqual([...lines.map((line) => `- ${line}`), LINE, THEN]);
  });

  test.each([
    [
      'any 404s?',
      /^Yes, in topology 7 \(Shop\)\. Found about status 404:\n- 11: Storefront: [^\n]*\nRun/,
    ],
    [
      'any 502s?',
      /^No, in topology 7 \(Shop\)\. Nothing was found to be wrong about status 502 where it was measured:\n- 11: /,
    ],
    [
      'are there 5xx errors?',
      /^Yes, in topology 7 \(Shop\)\. Found about status 5xx:\n- Checkout: answers 503[^\n]*\n- 14: [^\n]*\nRun/,
    ],
    ['502 errors', /^Nothing was found to be wrong about status 502 where it was measured:/],
  ])('with a status code is about that code only: %s', (question, expected) =>
    expect(ask(question, { said: SPOKEN, answer: measuring(REPORT, WITH) }).text).toMatch(expected),
  );

  test.each([
    ['is the disk full?', 'disks'],
    ['how full is the disk?', 'disks'],
    ['is the memory low?', 'memory'],
  ])('says where it was measured and found well, and where not: %s', (question, topic) => {
    const { text } = ask(question, { said: SPOKEN, answer: measuring(REPORT, WITH) });
    expect(text).toContain(
      `Nothing was found to be wrong about ${topic} where it was measured:\n- 13: Payments: host_resources: disk 29.5 %, memory 40 %, load 11.22 per core\n`,
    );
    expect(text).toContain(
      `\nNothing about ${topic} was measured at Storefront, Checkout, Catalog and Orders database.\n`,
    );
    expect(text.startsWith('No, in topology 7 (Shop). ')).toBe(question.startsWith('is'));
  });

  test.each(['is checkout throwing 502s?', 'what did the http probe of checkout say?'])(
    'that was measured at a node shows the measurement: %s',
    (question) =>
      expect(ask(question).text).toContain('\n- 58: Checkout: http_probe: answers 502\n'),
  );

  test.each(['is it DNS?', 'is the disk full?', 'was there a deploy?'])(
    'without a node looks at the latest diagnosis of every topology: %s',
    (question) =>
      expect(
        ask(question, { answer: measuring([finding('payments', 'answers 500', [45])]) }).text,
      ).toMatch(
        /^I cannot tell\. Nothing about [^\n]* was measured\.\nThat is from the latest diagnoses of 2 topologies;[^\n]*$/,
      ),
  );

  it('of the topology under discussion also names others with such findings', () => {
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args) as JsonObject;
      const slow = [found('press', 'timeout', 'no complete answer within 5000 ms', 'slow')];
      const isOfBlog = tool === 'get_run' && args['run_id'] === id(4);
      return isOfBlog ? { ...told, report: { ...BROKEN, root_causes: [], findings: slow } } : told;
    };
    const { text } = ask('any timeouts?', { said: SPOKEN, answer });
    expect(text).toMatch(
      /^I cannot tell, in topology 7 \(Shop\)\. Of the others, topology 2 \(Blog\) has such findings\. Nothing about time-outs was measured\.\n/,
    );
    expect(text).toContain(
      `\nFound in other topologies:\n- Press: no complete answer within 5000 ms (event 45). Run ${id(4)} of topology 2`,
    );
    const own = ask('any timeouts?', { said: SPOKEN, topology: OWN, answer }).text;
    const ofNode = ask('any timeouts of payments?', { said: SPOKEN, answer }).text;
    expect(own + ofNode).not.toContain('Blog');
  });

  it('that asks whether the failure has ended cannot be answered from an old diagnosis', () => {
    const expired = found('payments', 'certificate-expired', 'certificate has expired');
    const answer = measuring([expired]);
    const question = 'is the certificate of payments fixed?';
    expect(ask(question, { answer }).text).toMatch(
      /^I cannot tell: it was not checked since 2026-11-22 08:30:02 UTC, when it was not fixed\. Found about certificates:\n- Payments: /,
    );
    expect(ask(question, { answer, now: '2026-11-22T08:31:00Z' }).text).toMatch(/^No\. Found/);
  });

  it('without a node shows what the diagnoses found about it', () => {
    const answer = measuring([finding('payments', 'disk is 99 % full', [45])]);
    expect(ask('is the disk full?', { answer }).text).toMatch(
      /^Yes\. Found about disks:\n- Payments: disk is 99 % full \(event 45\)\. Run .*3 of topology 7 \(Shop\)/,
    );
    expect(ask('is the disk full?', { answer, said: SPOKEN }).text).toMatch(
      /^Yes, in topology 7 \(Shop\)\. Found about disks:\n- Payments: disk is 99 % full \(event 45\)\nRun .*3 of topology 7/,
    );
  });

  it('names the change of a root cause', () => {
    const [cause] = BROKEN.root_causes;
    const report = { ...BROKEN, root_causes: [{ ...cause, change: 'deploy of 2.4.1' }] };
    expect(ask('could it be the deploy?', { answer: telling(report) }).text).toMatch(
      /:\n- Payments: changed: deploy of 2\.4\.1 \(events 45, 47\)\. Run /,
    );
  });

  it.each(['was catalog slow?', 'how long was catalog slow?', 'has catalog been slow?'])(
    'in the past also reads the earlier diagnoses: %s',
    (question) => {
      const slow = measuring([found('catalog', 'latency', 'answers in 3004 ms', 'slow')]);
      const answer = (tool: string, args: JsonObject): Json =>
        args['run_id'] === id(2) ? slow(tool, args) : tell(tool, args);
      const { text } = ask(question, { answer });
      expect(text).toContain(
        'Earlier diagnoses found:\n- 2026-11-22 08:20:00 UTC: Catalog: answers in 3004 ms (event 45)\n',
      );
      if (!question.startsWith('how'))
        expect(text).toMatch(/^Yes, but in earlier diagnoses only\. /);
    },
  );

  it('is measured now in a chat about a topology, and what is gone is said to be', () => {
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'http_probe'
        ? { status: 'ok', summary: 'answered 200 OK in 9.4 ms', measurements: {}, issues: [] }
        : measuring(REPORT, WITH)(tool, args);
    for (const question of ['is catalog slow?', 'why is catalog slow?'])
      expect(ask(question, { topology: OWN, answer }).text).toMatch(
        /^(?:No\. )?Nothing was found to be wrong about response times where it was measured:\n- Catalog: answered 200 OK in 9\.4 ms\nFound at 2026-11-22 08:30:00 UTC, and not now:\n- Catalog: answers in 3004 ms \(event 45\)\nThat was measured just now\.$/,
      );
  });
});

describe('a question about credentials', () => {
  const WANTS =
    'wants a password, and its endpoint in the topology has none. Write it as env:NAME.';
  const blind = { node: 'payments', reason: 'FORBIDDEN', detail: WANTS };
  const QUESTIONS = ['is the password wrong?', 'are there password problems?'];

  it.each(QUESTIONS)('names the nodes that were not measured for want of one: %s', (question) => {
    const answer = telling({ ...BROKEN, unchecked: [blind] });
    const expected = `Nothing about credentials was measured at `;
    const { text } = ask(question, { said: SPOKEN, answer });
    expect(text).toContain(`Not measured for a reason about it:\n- Payments: ${WANTS}\n`);
    expect(text).not.toContain(`${expected}Payments`);
  });

  it.each(QUESTIONS)('names them also if it is measured now: %s', (question) => {
    const answer = (tool: string, args: JsonObject) =>
      tool === 'http_probe' && args['node'] === 'payments' ? new Error(WANTS) : tell(tool, args);
    expect(ask(question, { topology: OWN, answer }).text).toMatch(
      /^For this service there is a problem, at least\. Nothing about credentials was measured\.\nNot measured for a reason about it:\n- Payments: wants a password, /,
    );
  });

  it('lists the steps about credentials, of which certificates are none', () => {
    const next_steps = [
      { text: 'Make a new one with the same names. No authority renews it.', node: 'checkout' },
      { text: `Give the right: Payments. It ${WANTS}`, node: 'payments' },
    ].map((step) => ({ ...step, access: 'read' }));
    const { text } = ask('how do I fix the password?', {
      said: SPOKEN,
      answer: telling({ ...BROKEN, next_steps }),
    });
    expect(text).toContain('The steps about credentials, 1 of 2:');
    expect(text).not.toContain('No authority renews it');
  });
});
