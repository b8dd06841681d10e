import { describe, expect, it, test } from '@jest/globals';
import { textOf, type Json, type JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  LINE,
  OWN,
  SPOKEN,
  WELL,
  ask,
  finding,
  id,
  tell,
} from '../../../../../test/support/oracle-questions.js';

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
  ...{ kind, symptom },
});
const measured = (sequence: number, node: string, tool: string, summary: string) => ({
  ...{ sequence, node, tool, summary },
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
  ])('that is answered with yes or no says that it cannot tell then: %s', (question, topic) =>
    expect(ask(question).text).toBe(
      [`I cannot tell. Nothing about ${topic} was measured at Checkout.`, LINE, THEN].join('\n'),
    ),
  );

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
    ['any timeouts?', 'Yes. Found about time-outs:', [TIMEOUT]],
    ['are there time-outs', 'Yes. Found about time-outs:', [TIMEOUT]],
    ['is the cpu overloaded?', 'Yes. Found about processor time:', [CPU]],
    ['is the cpu ok?', 'No. Found about processor time:', [CPU]],
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
      /^Yes\. Found about status 404:\n- Storefront: answers 404[^\n]*\n- 11: [^\n]*\nRun/,
    ],
    [
      'any 502s?',
      /^No\. Nothing was found to be wrong about status 502 where it was measured:\n- 11: /,
    ],
    [
      'are there 5xx errors?',
      /^Yes\. Found about status 5xx:\n- Checkout: answers 503[^\n]*\n- 14: [^\n]*\nRun/,
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
    expect(text.startsWith('No. ')).toBe(question.startsWith('is'));
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

  it('without a node shows what the diagnoses found about it', () => {
    const answer = measuring([finding('payments', 'disk is 99 % full', [45])]);
    expect(ask('is the disk full?', { answer }).text).toMatch(
      /^Yes\. Found about disks:\n- Payments: disk is 99 % full \(event 45\)\. Run .*3 of topology 7 \(Shop\)/,
    );
    expect(ask('is the disk full?', { answer, said: SPOKEN }).text).toMatch(
      /^Yes\. Found about disks:\n- Payments: disk is 99 % full \(event 45\)\nRun .*3 of topology 7/,
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

describe('a question about a topology', () => {
  test.each([
    ['what kind of node is orders-db?', /^Orders database is of kind tcp\.\nTopology 7/],
    [
      'what is the path from storefront to orders-db?',
      /^Storefront → Checkout → Payments → Orders database: each depends on the next\.\nTopology 7/,
    ],
    [
      'how does payments reach storefront?',
      /^Storefront → Checkout → Payments: each depends on the next\./,
    ],
    [
      'what is the path between catalog and payments?',
      /^Neither Catalog nor Payments depends on the other\./,
    ],
    [
      'what is the endpoint of payments?',
      /^I do not see the endpoints [^\n]*\/topologies\/7\.\nTopology 7/,
    ],
    ['which thresholds does payments have?', /^I do not see the endpoints /],
    ['draw the architecture of the shop', /^Topology 7 \(Shop\) has 5 nodes:/],
  ])('gets its answer: %s', (question, answer) => expect(ask(question).text).toMatch(answer));

  it('names the team of a node, or all teams', () => {
    const teams = [
      { name: 'Sales', nodes: ['web', 'checkout'] },
      { name: 'Money', nodes: ['payments'] },
    ];
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_topology' ? { ...(tell(tool, args) as JsonObject), teams } : tell(tool, args);
    expect(ask('which team looks after payments?', { answer }).text).toBe(
      [
        'This team looks after Payments:',
        '- Money: a worker for each of Payments',
        'Topology 7 (Shop).',
      ].join('\n'),
    );
    expect(ask('which teams work on the shop?', { answer }).text).toMatch(
      /^These teams look after Shop:\n- Sales: .* Storefront and Checkout\n- Money: /,
    );
  });
});

describe('a question about earlier diagnoses', () => {
  it('counts those in which a node was unwell', () => {
    const { text } = ask('how often did payments fail?');
    expect(text).toMatch(
      /^Something was wrong with Payments in 2 of the last 3 diagnoses of topology 7 \(Shop\), since 2026-11-22 08:10:00 UTC:\n/,
    );
    expect(text).toContain(id(2));
    expect(text).not.toContain(id(1));
    expect(ask('has this happened before?', { said: SPOKEN }).text).toMatch(
      /^Something was wrong with Payments in 2 of the last 3 /,
    );
    expect(ask('how often did the catalog fail?').text).toMatch(
      /^Nothing was found to be wrong with Catalog in the last 3 diagnoses .* UTC\.$/,
    );
  });

  it('counts those in which a topology was unwell that is well now', () => {
    expect(ask('how often did the blog fail?').text).toMatch(
      /^Nothing was found to be wrong with Blog in the last diagnosis of topology 2 \(Blog\)/,
    );
    const answer = (tool: string, args: JsonObject): Json =>
      args['run_id'] === id(3)
        ? { ...(tell(tool, args) as JsonObject), report: WELL }
        : tell(tool, args);
    expect(ask('how often did the shop fail?', { answer }).text).toMatch(
      /^Something was wrong with Shop in 1 of the last 3 diagnoses /,
    );
  });

  it('counts only those of a time', () => {
    const asked: JsonObject[] = [];
    const answer = (tool: string, args: JsonObject): Json => {
      if (args['since'] === undefined) return tell(tool, args);
      asked.push(args);
      return { runs: [] };
    };
    const now = '2026-12-10T12:00:00Z';
    const question = 'how often did payments fail last week?';
    expect(ask(question, { answer, now }).text).toMatch(
      /^No diagnosis of topology 7 \(Shop\) completed in that time\.\n/,
    );
    expect(asked).toMatchObject([
      { since: '2026-11-30T00:00:00.000Z', until: '2026-12-06T23:59:59.999Z' },
    ]);
  });
});

describe('a question about a run', () => {
  it('about its cost counts tokens', () => {
    const usage = { input_tokens: 1_000, output_tokens: 20 };
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_run' ? { ...(tell(tool, args) as JsonObject), usage } : tell(tool, args);
    const question = 'how many tokens did the last run use?';
    expect(ask(question, { answer }).text).toMatch(/^It used 1020 tokens, 1000 of them as input\./);
    expect(ask(question).text).toMatch(/^It used no tokens: no language model took part\.\nRun/);
  });

  it('about its beginning quotes the person', () => {
    expect(ask('what did users report about the shop?').text).toBe(
      `It was started with these words: "why?".\n${LINE}`,
    );
    expect(ask('who triggered the last run?').text).toMatch(/^I do not know who started it\.\nIt /);
  });
});

describe('a question in other words', () => {
  test.each([
    ['was the shop fine at 08:10?', /^At 2026-11-22 08:10 UTC this run was under way:/],
    ['when was the last time payments was healthy?', /^Payments was well at /],
    ['has anything changed since the last diagnosis of the shop?', /^- 2026-11-22 08:20:00 UTC: /],
    ['is payments overloaded?', /^Payments is the root cause/],
    [
      'did payments recover?',
      /^I cannot tell: it was not checked since .*\nPayments is the root cause/,
    ],
    ['how healthy is the shop?', /^Root cause: Payments/],
    ['are there connection errors?', /^Yes\. Found about the network:\n- Payments: /],
    [
      'which version of payments is deployed?',
      /^Nothing about changes was measured at Payments\.\n/,
    ],
    ['is checkout down because of payments?', /^Checkout: answers 502.*\nPayments is the root/],
    ['is the problem of the shop caused by the blog?', /^The latest verdicts:\n- Shop/],
    ['Why did payments go down?', /^Payments is the root cause/],
    ['Why is the storefront empty?', /^Nothing was found to be wrong with Storefront\. It depends/],
    ["what makes you think it's payments?", /^Payments is the root cause/],
    ['Which topology is worse, the shop or the blog?', /^- Shop .*\n- Blog /],
    ['are the shop and the blog broken for the same reason?', /^- Shop .*\n- Blog /],
    ['which run found the payments problem first?', /^Payments was well at /],
    ['is there a runbook for the shop?', /^The report of this run suggests no next steps/],
    ['give me the command to verify payments', /^The report of this run suggests no next steps/],
    ['how do I roll back the shop?', /^The report of this run suggests no next steps/],
    ["which nodes weren't checked in the shop?", /^Checked: .*\nNot checked: Orders database/],
    ['did the fix work?', /^No\.\nThe latest verdict of every topology:/],
    ['anything on fire tonight?', /^2026-11-22 18:00 UTC to 2026-11-23 06:00 UTC is still to come/],
    ['which customers are affected?', /^Payments is the root cause: /],
    ['summarize the last report of the shop for my manager', /^Root cause: Payments/],
    ['is the information about the shop up to date?', /^It took 2\.5 s/],
    ['which model do you use?', /^I answer by built-in rules, without a language model\./],
    ['alert me when payments recovers', /^I change nothing: .* \(REPORTS_FILE\)/],
    ['does staging have an issue?', /^I know no node called "staging"/],
    [
      'is it the database again?',
      /^(?:I read "database" as "orders database"|I know no node called "database")/,
    ],
  ])('is understood: %s', (question, answer) => expect(ask(question).text).toMatch(answer));

  test.each([
    'who should I page?',
    'is it safe to deploy now?',
    'why is the payments team so lazy?',
    'how often do you sleep?',
    'what is the address of the office?',
    'how many tokens fit in a bus?',
    'how much does the shop earn?',
    'which team won the match?',
  ])('is not taken for another one: %s', (question) =>
    expect(ask(question).text).toMatch(/^I (?:do not understand that|know no node)/),
  );
});
