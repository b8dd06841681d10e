import { describe, expect, it, test } from '@jest/globals';
import { type Json, type JsonObject } from '../../../../lib/json.js';
import {
  LINE,
  OWN,
  SPOKEN,
  WELL,
  ask,
  finding,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

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
    expect(ask('who looks after payments?', { answer }).text).toMatch(/^This team looks after/);
    expect(ask('who looks after payments?').text).toBe(
      'No team of agents is named for Payments.\nTopology 7 (Shop).',
    );
    expect(ask('which teams work on the shop?', { answer }).text).toMatch(
      /^These teams look after Shop:\n- Sales: .* Storefront and Checkout\n- Money: /,
    );
  });
});

it.each([
  'who owns payments?',
  'who do i call',
  'who should I page?',
  'who is on call?',
  'who is responsible for the shop?',
  'whom should we wake up?',
])('a question for people gets none, and no team of agents: %s', (question) => {
  const { text, called } = ask(question);
  expect(text).toMatch(/^I do not know which people are responsible/);
  expect(called).not.toContain('get_topology');
});

describe('a question about earlier diagnoses', () => {
  it('counts those in which a node was unhealthy', () => {
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

  it('counts those in which a topology was unhealthy that is healthy now', () => {
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
    ['when was the last time payments was healthy?', /^Payments was healthy at /],
    ['has anything changed since the last diagnosis of the shop?', /^- 2026-11-22 08:20:00 UTC: /],
    ['is payments overloaded?', /^I cannot tell\. Nothing about load was measured at Payments\./],
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
    [
      'is checkout down because of payments?',
      /^Yes\. Checkout depends on Payments, .*\nCheckout: answers 502.*\nPayments is the root/,
    ],
    [
      'is the problem of the shop caused by the blog?',
      /^I cannot tell: .*\nThe latest verdicts:\n- Shop/,
    ],
    ['Why did payments go down?', /^Payments is the root cause/],
    ['Why is the storefront empty?', /^Nothing was found to be wrong with Storefront\. It depends/],
    ["what makes you think it's payments?", /^Payments is the root cause/],
    ['Which topology is worse, the shop or the blog?', /^- Shop .*\n- Blog /],
    ['are the shop and the blog broken for the same reason?', /^- Shop .*\n- Blog /],
    ['which run found the payments problem first?', /^Payments was healthy at /],
    ['is there a runbook for the shop?', /^The report of this run suggests no next steps/],
    ['give me the command to verify payments', /^The report of this run suggests no next steps/],
    ['how do I roll back the shop?', /^The report of this run suggests no next steps/],
    ["which nodes weren't checked in the shop?", /^Checked: .*\nNot checked: Orders database/],
    ['did the fix work?', /^No\.\nThe latest verdict of every topology:/],
    ['anything on fire tonight?', /^2026-11-22 18:00 UTC to 2026-11-23 06:00 UTC is still to come/],
    ['which customers are affected?', /^I do not know people .*\nPayments is the root cause: /],
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

it('what is measured now of a topic answers, not the failure of the last diagnosis', () => {
  const full = finding('orders-db', 'refuses writes because its memory is full', [49]);
  const answer = (tool: string, args: JsonObject): Json => {
    if (tool === 'get_run')
      return {
        ...(tell(tool, args) as JsonObject),
        report: { ...WELL, verdict: 'issues_found', findings: [full] },
      };
    return tool === 'http_probe'
      ? { status: 'ok', summary: 'answers, 992 KiB, no maxmemory', measurements: {}, issues: [] }
      : tell(tool, args);
  };
  expect(ask('is the orders-db memory ok now?', { topology: OWN, answer }).text).toMatch(
    /^Yes\. Nothing was found to be wrong about memory [^]*\nFound at [^\n]*, and not now:\n/,
  );
});

it('a topic that was never measured is not answered with what else was wrong before', () => {
  const answer = (tool: string, args: JsonObject): Json =>
    tool === 'http_probe'
      ? { status: 'ok', summary: 'answered 200 OK', measurements: {}, issues: [] }
      : tell(tool, args);
  expect(ask('is the certificate of checkout ok?', { topology: OWN, answer }).text).toBe(
    'I cannot tell. Nothing about certificates was measured at Checkout.',
  );
});

it('why something fails that the last diagnosis did not find is answered by what is measured now', () => {
  const DOWN = { severity: 'critical', symptom: 'erroring', title: 'answers 502', detail: '' };
  const answer = (tool: string, args: JsonObject): Json => {
    if (tool === 'get_run') return { ...(tell(tool, args) as JsonObject), report: WELL };
    return tool === 'http_probe'
      ? { status: 'failed', summary: 'answers 502', measurements: {}, issues: [DOWN] }
      : tell(tool, args);
  };
  const { text } = ask('storefront is throwing 502s, why?', { topology: OWN, answer });
  expect(text).toMatch(/^(?:Found|Measured) about status 502:\n- Storefront: answers 502/);
  expect(text).toMatch(
    /\nNo diagnosis has found that yet: for its cause, ask me to "diagnose topology 7"\.$/,
  );
});
