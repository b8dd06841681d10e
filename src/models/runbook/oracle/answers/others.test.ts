import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  LINE,
  RUNS,
  SPOKEN,
  ask,
  id,
  tell,
  tellAllBroken,
} from '../../../../../test/support/incidents/oracle-questions.js';

/** As `tell`, with a report that says more. */
function tellMore(tool: string, args: JsonObject): Json {
  if (tool !== 'get_run') return tell(tool, args);
  const [cause] = BROKEN.root_causes;
  const report = {
    ...BROKEN,
    root_causes: [
      {
        ...cause,
        basis: ['it was measured there'],
        not_excluded: [{ node: 'orders-db', reason: 'it was not measured' }],
      },
    ],
    candidates: [
      { node: 'payments', score: 0.93 },
      { node: 'orders-db', score: 0.2 },
    ],
    nodes: [
      { node: 'catalog', state: 'healthy' },
      { node: 'orders-db', state: 'healthy' },
    ],
  };
  return { ...(tell(tool, args) as JsonObject), report };
}

const said = (question: string, answer = tellMore) => ask(question, { said: SPOKEN, answer }).text;

describe('how sure a diagnosis is', () => {
  it.each(['how sure are you?', 'are you certain about that?', 'What is the confidence?'])(
    'is said with what it was computed from, and what is not ruled out: %s',
    (question) =>
      expect(said(question)).toBe(
        [
          'I am 93 % sure of Payments: connection refused.',
          'That was computed from this: it was measured there.',
          'Not ruled out: Orders database (it was not measured).',
          'Not checked: Orders database (it timed out).',
          LINE,
        ].join('\n'),
      ),
  );

  it('is nothing if it found nothing to be wrong', () =>
    expect(ask('how sure are you that the blog is ok?').text).toMatch(
      /^Nothing was found to be wrong\. That rests on measurements/,
    ));

  it.each(['how sure are you?', 'since when?', 'why?', 'what did you rule out?'])(
    'is answered for each topology that has a root cause: %s',
    (question) => {
      const { text, plan } = ask(question, { answer: tellAllBroken });
      expect(text).toMatch(/^Shop \(topology 7\): .*Blog \(topology 2\): /s);
      expect(text).not.toContain('Which topology?');
      expect(plan.calls).toEqual([]);
    },
  );
});

describe('suspects', () => {
  it.each(['what did you rule out?', 'any other suspects?', 'what else could it be?'])(
    'are listed: %s',
    (question) =>
      expect(said(question)).toMatch(
        /^The suspects, the most suspect first: Payments \(93 %\), Orders database \(20 %\)\.\nNot ruled out: Orders database .*\nRuled out, because it was measured to be well: Catalog\.\n/,
      ),
  );

  it('that are named get what was found of them', () => {
    expect(said('is Payments the root cause?')).toMatch(
      /^Probably\.\nPayments may be the root cause/,
    );
    expect(said('is the catalog to blame?')).toMatch(/^No\.\nNothing was found/);
    expect(said('could it be the catalog?')).toMatch(
      /^No\.\nNothing was found to be wrong with Catalog/,
    );
    expect(said('could it be the orders database?')).toBe(
      `I cannot tell.\nNot ruled out: Orders database (it was not measured).\n${LINE}`,
    );
    const both = (tool: string, args: JsonObject): Json => {
      const run = tellMore(tool, args) as { report?: { root_causes: JsonObject[] } };
      const second = {
        ...BROKEN.root_causes[0],
        node: 'orders-db',
        title: 'Orders database is full',
        chain: [],
      };
      run.report?.root_causes.push(second);
      return run;
    };
    expect(said('could it be the orders database?', both)).not.toContain('Not ruled out');
    expect(said('could it be the weather?')).toMatch(/^I know no node called "weather"/);
  });
});

describe('what else', () => {
  it.each(['what else?', 'and the others?', 'anything else?', 'what about the other topologies?'])(
    'is the rest of what was discussed, and the other topologies: %s',
    (question) =>
      expect(said(question, tell)).toMatch(
        /^Also found:\n- Checkout: answers 502 .*\nRun .*3 of topology 7 .*\nThe other topologies:\n- Blog \(topology 2\): healthy\./,
      ),
  );

  it('is every topology if none was discussed', () =>
    expect(ask('what else?').text).toMatch(/^The latest verdict of every topology:/));
});

describe('the impact', () => {
  it('of what was discussed names the affected nodes, or else the dependents', () => {
    expect(said('what is the blast radius?', tell)).toMatch(
      /^Payments is the root cause: .* Checkout is affected by Payments\.\nRun /,
    );
    const alone = { ...BROKEN, findings: BROKEN.findings.slice(0, 1) };
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_run'
        ? { ...(tell(tool, args) as JsonObject), report: alone }
        : tell(tool, args);
    expect(said('how bad is it?', answer)).toMatch(
      /^Payments is the root cause: .*\. No other node is measurably affected\. Checkout depends on Payments, and through that Storefront\.\nRun /,
    );
  });

  it.each(['who is affected by payments?', 'what does payments affect?'])(
    'of a node gives the states of what depends on it: %s',
    (question) => {
      const states = { web: 'unknown', checkout: 'downstream', catalog: 'healthy' };
      const nodes = Object.entries(states).map(([node, state]) => ({ node, state }));
      const answer = (tool: string, args: JsonObject): Json =>
        tool === 'get_run'
          ? { ...(tell(tool, args) as JsonObject), report: { ...BROKEN, nodes } }
          : tell(tool, args);
      expect(ask(question, { answer }).text).toMatch(
        /^Checkout depends on Payments, and through that Storefront\.\nDownstream of a fault: Checkout \(1 of 2\)\.\nNot known: Storefront \(1 of 2\)\.\nRun /,
      );
    },
  );

  it('is nothing that the diagnosis traces to another cause', () => {
    const causes = BROKEN.root_causes.map((cause) => ({ ...cause, chain: [cause.node] }));
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_run'
        ? { ...(tell(tool, args) as JsonObject), report: { ...BROKEN, root_causes: causes } }
        : tell(tool, args);
    expect(said('is Payments down?', answer)).not.toContain('affected by it');
  });

  it('is that of every topology with a root cause if none was discussed', () => {
    const { text } = ask('which services are affected?', { answer: tell });
    expect(text).toMatch(/^Payments is the root cause: .* Checkout is affected by Payments\./);
    expect(text).not.toContain('Blog');
  });

  it('of a node that fails is what depends on it', () =>
    expect(said('what happens if the catalog fails?', tell)).toMatch(
      /^Storefront depends on Catalog\./,
    ));
});

describe('a person who does not believe it', () => {
  it.each(['that is wrong', "no, that's not the cause", 'you are wrong, it is the network'])(
    'gets what the diagnosis rests on: %s',
    (question) =>
      expect(said(question, tell)).toMatch(
        /^It may be out of date: ask me to "diagnose topology 7" .*\nI am 93 % sure of .*From the log of run .*:\n- 45: line 45/s,
      ),
  );

  it('gets that answer if nothing was reported', () =>
    expect(ask('that is wrong').text).toMatch(/^I have reported nothing in this conversation\./));
});

describe('lists', () => {
  it.each([
    ['list the last 2 runs', /^The last 2 diagnoses:\n/],
    ['show me the three latest runs', /^The last 3 diagnoses:\n/],
    ['list the last 500 runs', /\nI list at most 20 runs\.$/],
    ['how many runs are there?', new RegExp(`^There are ${RUNS.length} diagnoses\\.$`)],
    ['show me the last run', /^Nothing was found to be wrong\.\nRun .*4 of topology 2/],
  ])('%s', (question, answer) => expect(ask(question).text).toMatch(answer));
});

describe('several topologies', () => {
  it.each(['tell me about the shop and the blog', 'what is wrong with shop and blog?'])(
    'get the verdict of each: %s',
    (question) =>
      expect(ask(question).text).toMatch(/^The latest verdicts:\n- Shop .*\n- Blog .*healthy/),
  );

  it('are compared two at a time, by their ids too', () => {
    expect(ask('what is the difference between 7 and 2?').text).toMatch(/^- Shop .*\n- Blog /);
    expect(ask('compare topology 7 with 2 and 9').text).toMatch(/^I compare two topologies at a/);
  });

  it('of which a question needs one are asked back', () =>
    expect(ask('how long did the diagnosis of shop and blog take?').text).toBe(
      'Which topology? You name several:\n- 7: Shop (5 nodes)\n- 2: Blog (1 node)',
    ));
});

describe('all topologies', () => {
  it.each(["what's up?", 'how are things?', 'give me a summary of all systems', 'all good?'])(
    'get their latest verdicts: %s',
    (question) =>
      expect(ask(question).text).toMatch(/^(?:No\.\n)?The latest verdict of every topology:/),
  );
});

describe('why, if nothing was found to be wrong,', () => {
  const measurements = ['press', 'catalog'].map((node) => ({
    sequence: 12,
    node,
    tool: 'http_probe',
    summary: 'answers 200',
  }));
  const answer = (tool: string, args: JsonObject): Json =>
    tool === 'get_run' && args['about'] !== undefined
      ? { ...(tell(tool, args) as JsonObject), measurements }
      : tell(tool, args);

  it('is answered with what was measured', () =>
    expect(ask('why is the blog down?', { answer }).text).toBe(
      [
        'Nothing was found to be wrong.',
        '1 of 1 node checked.',
        'Measured then:',
        '- 12: Press: http_probe: answers 200',
        `Run ${id(4)} of topology 2 (Blog) completed at 2026-11-22 08:40:02 UTC.`,
        'That was then; for what is now, ask me to "diagnose topology 2".',
      ].join('\n'),
    ));

  it('is answered so also if the evidence is asked for', () =>
    expect(ask('show me the evidence of the blog', { answer }).text).toMatch(
      /^Nothing was found to be wrong\.\n1 of 1 node checked\.\nMeasured then:\n- 12: /,
    ));

  it('is about the node in question, also if another one is broken', () => {
    const { text } = ask('why did you say catalog?', { answer, said: SPOKEN });
    expect(text).toMatch(
      /^Nothing was found to be wrong with Catalog\..*\nMeasured then:\n- 12: /s,
    );
  });
});

it('says what a node is by what depends on it', () =>
  expect(ask('what is payments?').text).toMatch(/^Checkout depends on Payments, .* depends on Or/));
