import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import type { Brief } from '../../../domain/diagnosis/brief.js';
import { namesIn } from '../../../domain/topology/names-in-text.js';
import type { Json, JsonObject } from '../../../lib/json.js';
import type { Answer } from '../plan.js';
import { planOracle } from './plan-oracle.js';
import type { Remark } from './question.js';

type OracleBrief = Extract<Brief, { role: 'oracle' }>;

const SHOP = {
  id: 7,
  name: 'Shop',
  nodes: [
    { id: 'web', name: 'Storefront', kind: 'service', dependsOn: ['checkout', 'catalog'] },
    { id: 'checkout', name: 'Checkout', kind: 'service', dependsOn: ['payments'] },
    { id: 'catalog', name: 'Catalog', kind: 'service', dependsOn: [] },
    { id: 'payments', name: 'Payments', kind: 'service', dependsOn: ['orders-db'] },
    { id: 'orders-db', name: 'Orders database', kind: 'tcp', dependsOn: [] },
  ],
};
const BLOG = {
  id: 2,
  name: 'Blog',
  nodes: [{ id: 'press', name: 'Press', kind: 'service', dependsOn: [] }],
};

const id = (n: number) => `01900000-0000-7000-8000-00000000000${n}`;
const finding = (node: string, title: string, evidence: number[]) => ({
  node,
  severity: 'critical',
  title,
  detail: '',
  evidence,
});
const DOWN = finding('payments', 'connection refused', [45, 47]);
const BROKEN = {
  verdict: 'root_cause_found',
  root_causes: [
    {
      node: 'payments',
      title: 'Payments: connection refused',
      confidence: 0.93,
      evidence: [45, 47],
    },
  ],
  findings: [DOWN, finding('checkout', 'answers 502', [58])],
  unchecked: [{ node: 'orders-db', reason: 'it timed out' }],
  counts: { critical: 2, warning: 0, info: 0 },
};
const WELL = {
  verdict: 'healthy',
  root_causes: [],
  findings: [],
  unchecked: [],
  counts: { critical: 0, warning: 0, info: 0 },
};

const run = (
  n: number,
  minute: string,
  report: object,
  of: { id: number; name: string } = SHOP,
) => ({
  run_id: id(n),
  status: 'completed',
  topology_id: of.id,
  topology_name: of.name,
  user_message: 'why?',
  created_at: `2026-11-22T08:${minute}:00.000Z`,
  ended_at: `2026-11-22T08:${minute}:02.500Z`,
  last_sequence: 60,
  summary: 'The summary.',
  report,
});
/** Newest first. */
const RUNS = [
  run(4, '40', WELL, BLOG),
  run(3, '30', BROKEN),
  run(2, '20', BROKEN),
  run(1, '10', WELL),
];

/** The topologies that the argument `naming` leaves, with the names that it contains. */
const those = (args: JsonObject, all: (typeof SHOP)[]) =>
  all.flatMap((each) => {
    const row = { id: each.id, name: each.name, nodes: each.nodes.length };
    if (typeof args['naming'] !== 'string') return [row];
    const named = namesIn(args['naming'], each);
    return named.length > 0 ? [{ ...row, named }] : [];
  });

/** What the oracle's tools would say, of two topologies and four diagnoses. */
function tell(tool: string, args: JsonObject): Json {
  switch (tool) {
    case 'list_topologies':
      return {
        topologies: those(args, [SHOP, BLOG]),
        more: false,
      };
    case 'get_topology':
      return args['topology_id'] === 7 ? SHOP : BLOG;
    case 'list_runs': {
      const rows = RUNS.filter(
        ({ topology_id }) =>
          args['topology_id'] === undefined || args['topology_id'] === topology_id,
      );
      return { runs: rows.slice(0, Number(args['limit'])).map(({ report: _, ...row }) => row) };
    }
    case 'get_run':
      return RUNS.find(({ run_id }) => run_id === args['run_id']) as unknown as Json;
    case 'start_diagnosis':
      return RUNS[1] as unknown as Json;
    case 'read_log': {
      const sequence = Number(args['after'] ?? 0) + 1;
      return {
        run_id: args['run_id'] ?? '',
        events: [{ sequence, timestamp: '', excerpt: `line ${sequence}` }],
        next_after: null,
      };
    }
    case 'navigate_to_page':
      return { action: 'navigate', page: args['page'] ?? '' };
    default:
      return { status: 'failed', summary: 'nothing answers', measurements: {}, issues: [] };
  }
}

const TOOLS = new Set([
  ...[
    'list_topologies',
    'get_topology',
    'list_runs',
    'get_run',
    'read_log',
    'start_diagnosis',
    'follow_diagnosis',
    'navigate_to_page',
    'http_probe',
  ],
]);
const OWN: NonNullable<OracleBrief['topology']> = {
  ...SHOP,
  nodes: SHOP.nodes.map((node) => ({
    ...node,
    firstLook: [{ tool: 'http_probe', args: { node: node.id } }],
  })),
};

interface Asked {
  /** Earlier texts: of the oracle only, or of both speakers. */
  said?: (string | Remark)[];
  topology?: OracleBrief['topology'];
  tools?: ReadonlySet<string>;
  answer?: (tool: string, args: JsonObject) => Json | Error;
  needsRole?: OracleBrief['needsRole'];
  /** When it is asked. */
  now?: string;
}

const NOW = '2026-11-22T13:00:00Z';

/** Asks a question. Returns the calls and the final answer. */
function ask(
  userMessage: string,
  { said = [], topology = null, tools = TOOLS, answer = tell, needsRole, now = NOW }: Asked = {},
) {
  const answers: Answer[] = [];
  const called: string[] = [];
  const spoken = said.map((text): Remark =>
    typeof text === 'string' ? { by: 'oracle', text } : text,
  );
  for (let turn = 0; turn < 10; turn++) {
    const { calls, text } = planOracle(
      {
        ...{ role: 'oracle', userMessage, now: Date.parse(now), topology, thinking: false },
        ...(needsRole && { needsRole }),
      },
      spoken,
      answers,
      tools,
    );
    if (calls.length === 0) return { text, called };
    expect(text).toBe('');
    called.push([...new Set(calls.map(({ tool }) => tool))].join(' and '));
    for (const { tool, args } of calls) {
      const output = answer(tool, args);
      const failed = output instanceof Error;
      answers.push({
        id: `t${answers.length}`,
        tool,
        args,
        output: failed ? { error: output.message } : output,
        failed,
      });
    }
  }
  throw new Error('it comes to no end');
}

const LINE = `Run ${id(3)} of topology 7 (Shop) completed at 2026-11-22 08:30:02 UTC.`;
const SPOKEN = [`Root cause: Payments: connection refused.\n${LINE}`];

describe('a question about a fault', () => {
  it('in a node is answered from the latest diagnosis with that node, including its dependencies', () => {
    const { text, called } = ask('what is wrong with checkout?');
    const looked = ['list_topologies', 'list_topologies', 'get_topology', 'list_runs', 'get_run'];
    expect(called).toEqual(looked);
    expect(text).toBe(
      `Checkout: answers 502 (critical, event 58). It depends on the root cause, Payments: connection refused (93 % sure, events 45, 47).\n${LINE}`,
    );
  });

  it('in the root cause names the affected nodes', () =>
    expect(ask('is Payments down?').text).toBe(
      `Payments is the root cause: connection refused (93 % sure, events 45, 47). Checkout suffers from it.\n${LINE}\nThat was then; for what is now, ask me to "diagnose topology 7".`,
    ));

  it('in a healthy or unchecked node says so', () => {
    expect(ask('any problem with the catalog?').text).toMatch(
      /^Nothing was found to be wrong with Catalog\. Also found, not upstream of it: Payments\.\n/,
    );
    expect(ask('is the orders database ok?').text).toMatch(
      /^Orders database was not checked: it timed out\./,
    );
  });

  it('in a topology finds it by its name', () => {
    expect(ask('what is wrong with the shop?').text).toBe(
      [
        'Root cause: Payments: connection refused (93 % sure, events 45, 47).',
        'Suffering from it:',
        '- Checkout: answers 502 (critical, event 58)',
        '',
        'Not checked: Orders database (it timed out).',
        LINE,
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

describe('a follow-up', () => {
  test.each([
    [
      'and since when?',
      /^Payments was well at 2026-11-22 08:10:02 UTC \(run .*1\) and unwell at 2026-11-22 08:20:00 UTC: it began in between\. Run .*2 was the first/,
    ],
    ['why?', /^Root cause: Payments: .*\nFrom the log of run .*3:\n- 45: line 45\n- 47: line 47$/s],
    ['how do you know?', /- 45: line 45/],
    ['show me the log lines of checkout', /^From the log of run .*3:\n- 58: line 58$/],
    [
      'what did you check?',
      /^Checked: Storefront, Checkout, Catalog and Payments\.\nNot checked: Orders database \(it timed out\)\./,
    ],
    ['how long did it take?', /^It took 2\.5 s, from 2026-11-22 08:30:00 UTC/],
    ['and the catalog?', /^Nothing was found to be wrong with Catalog\./],
    [
      'what depends on payments?',
      /^Checkout depends on Payments, and through that Storefront\. Payments depends on Orders database\.\n/,
    ],
  ])('%s', (question, answer) => expect(ask(question, { said: SPOKEN }).text).toMatch(answer));

  it('is about the last subject, unless it names another', () => {
    expect(ask('what is wrong?', { said: SPOKEN }).text).toContain(id(3));
    expect(ask('what is wrong with Blog?', { said: SPOKEN }).text).toContain(id(4));
    expect(ask('what did the last run find?', { said: SPOKEN }).text).toContain(id(4));
    expect(ask('why did the last run say payments?').text).toMatch(
      /^Payments is the root cause.*line 45/s,
    );
  });

  it('that asks since when says that no older diagnosis shows it', () => {
    const answer = (tool: string, args: JsonObject) =>
      tool === 'list_runs' ? { runs: [] } : tell(tool, args);
    expect(ask('since when?', { said: SPOKEN, answer }).text).toMatch(
      /^Payments was unwell at .* already .*; no diagnosis of this topology saw it well before, so I cannot tell/,
    );
  });
});

describe('a diagnosis', () => {
  test.each([
    'start a diagnosis of Shop',
    'please diagnose topology 7',
    'Can you investigate the shop? Checkout is slow',
    'run a new diagnosis of Shop',
  ])('%s', (question) => {
    const { text, called } = ask(question);
    expect(called).toContain('start_diagnosis');
    expect(text).toMatch(/^Root cause: Payments: connection refused/);
  });

  it('is of the last subject, or of the topology of the chat', () => {
    expect(ask('diagnose it again', { said: SPOKEN }).called).toEqual([
      'list_topologies',
      'start_diagnosis',
      'get_topology',
    ]);
    expect(ask('start a diagnosis', { topology: OWN }).called).toEqual(['start_diagnosis']);
  });

  it('of an unknown subject is not started', () => {
    const { text, called } = ask('start a diagnosis');
    expect([called, text]).toEqual([
      ['list_topologies'],
      expect.stringMatching(/^Which topology\? Say "diagnose topology N"\..*- 7: Shop/s),
    ]);
  });

  it('that is still running is followed for a while', () => {
    const going = { run_id: id(3), status: 'running', last_sequence: 9, seen_before: 0 };
    const answer = (tool: string, args: JsonObject) =>
      /_diagnosis$/.test(tool) ? going : tell(tool, args);
    const { text, called } = ask('diagnose topology 7', { answer });
    expect(called).toEqual(
      ['start_diagnosis', 'follow_diagnosis', 'follow_diagnosis', 'follow_diagnosis'].slice(
        0,
        called.length,
      ),
    );
    expect(text).toBe(
      `The diagnosis is still going on: run ${id(3)} of topology 7. Ask me for its result later.`,
    );
  });

  it('is not started by a question about one', () =>
    expect(ask('what did the diagnosis find?').called).not.toContain('start_diagnosis'));
});

describe('others', () => {
  it('a node of the topology of the chat is looked at now', () => {
    const { text, called } = ask('Is checkout ok?', { topology: OWN });
    expect([called, text]).toEqual([
      ['http_probe'],
      'Measured just now:\n- Checkout: nothing answers',
    ]);
    expect(
      ask('Is checkout ok?', { topology: OWN, answer: () => new Error('no result within 30 s') })
        .text,
    ).toBe('Measured just now:\n- Checkout: http_probe did not answer: no result within 30 s');
  });

  it('all nodes of the topology of the chat, where none is named', () =>
    expect(ask('check everything', { topology: OWN }).text.split('\n')).toHaveLength(
      1 + OWN.nodes.length,
    ));

  test.each([
    ['open the runs page', 'Opening runs.'],
    [`open run ${id(3)}`, `Opening runs/${id(3)}.`],
    ['list the topologies', 'There are 2 topologies:\n- 7: Shop (5 nodes)\n- 2: Blog (1 node)'],
    ['which nodes does the blog have?', 'Topology 2 (Blog) has 1 node:\n- Press (service)'],
  ])('%s', (question, answer) => expect(ask(question).text).toBe(answer));

  it('the history of a topology', () =>
    expect(ask('show me the run history of the shop').text).toMatch(
      /^The last diagnoses of topology 7:\n- 2026-11-22 08:30:00 UTC, topology 7 \(Shop\), completed: The summary\. Run .*3\.\n/,
    ));

  it('a text without a question gets examples, and no look-up', () => {
    for (const words of ['hello', 'thanks!', 'what can you do?']) {
      const { text, called } = ask(words);
      expect([called, text]).toEqual([
        [],
        expect.stringContaining('Ask for example: "what is wrong with checkout?"'),
      ]);
    }
  });

  it('names data that may not be looked up or does not exist', () => {
    expect(ask('list the runs', { tools: new Set(['list_topologies']) }).text).toMatch(
      /^I may not look that up: list_runs is not among the `sources`/,
    );
    const answer = () => new Error('There is no topology 99.');
    expect(ask('who is on call?', { said: SPOKEN }).text).toMatch(/^I do not understand that\./);
    expect(ask('which nodes does topology 99 have?', { answer }).text).toBe(
      'I could not find that out: There is no topology 99.',
    );
  });
});

describe('what is broken right now', () => {
  it('is the latest verdict of every topology, the broken ones first', () => {
    const { text, called } = ask('What is broken right now?');
    expect(called).toEqual(['list_topologies', 'list_runs', 'get_run']);
    expect(text).toBe(
      [
        'The latest verdict of every topology:',
        `- Shop (topology 7): root cause found: Payments: connection refused. Diagnosed at 2026-11-22 08:30:02 UTC, run ${id(3)}.`,
        `- Blog (topology 2): healthy. Diagnosed at 2026-11-22 08:40:02 UTC, run ${id(4)}.`,
        '',
        'For what is now, ask me to "diagnose topology N".',
      ].join('\n'),
    );
  });

  it.each(['anything wrong?', 'what is wrong?', 'are there problems?', 'show me the errors'])(
    'is the answer to "%s", if no topology was named or discussed',
    (question) => {
      expect(ask(question).text).toMatch(/^The latest verdict of every topology:\n- Shop/);
      expect(ask(question, { said: SPOKEN }).text).not.toMatch(/^The latest verdict/);
    },
  );

  it('says which topologies were not diagnosed yet', () => {
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'list_runs' && args['topology_id'] === 2 ? { runs: [] } : tell(tool, args);
    expect(ask("what's broken?", { answer }).text).toContain(
      '- Blog (topology 2): not diagnosed yet.',
    );
  });

  it('is measured in a chat about one topology', () =>
    expect(ask('what is broken right now?', { topology: OWN }).text).toMatch(
      /^Measured just now:/,
    ));
});

describe('what happened at a time', () => {
  test.each([
    ['what happened at 08:20?', 2, 'At 2026-11-22 08:20 UTC this run was under way:'],
    [
      'what happened at 12:30?',
      4,
      'At 2026-11-22 12:30 UTC no run was under way. The nearest began at 2026-11-22 08:40:00 UTC:',
    ],
    [
      'what happened to the shop at 12:30?',
      3,
      'At 2026-11-22 12:30 UTC no run was under way. The nearest began at 2026-11-22 08:30:00 UTC:',
    ],
    [
      'what went wrong at 23:50?',
      1,
      'At 2026-11-21 23:50 UTC no run was under way. The nearest began at 2026-11-22 08:10:00 UTC:',
    ],
    ['what was found 2026-11-22 08:10?', 1, 'At 2026-11-22 08:10 UTC this run was under way:'],
  ])('%s', (question, n, first) => {
    const { text } = ask(question);
    expect(text.split('\n')[0]).toBe(first);
    expect(text).toContain(id(n));
  });
});

test('of a minute in which several runs were under way, all are listed', () => {
  const runs = ['00', '20', '40'].map((second, i) => ({
    ...RUNS[i],
    created_at: `2026-11-22T23:27:${second}.000Z`,
    ended_at: `2026-11-22T23:27:${second}.900Z`,
  }));
  const answer = (tool: string, args: JsonObject): Json =>
    tool === 'list_runs' ? { runs: runs as unknown as Json } : tell(tool, args);
  const { text, called } = ask('what happened at 23:27?', {
    ...{ answer, now: '2026-11-23T01:00:00Z' },
  });
  expect(text).toMatch(/^At 2026-11-22 23:27 UTC these 3 runs were under way; .*:\n- /);
  for (const { run_id } of RUNS.slice(0, 3)) expect(text).toContain(run_id);
  expect(called).not.toContain('get_run');
});

test.each(['25:99', '24:00', '12:60', '2026-13-45 12:00'])('there is no time %s', (time) => {
  const { text, called } = ask(`what happened at ${time}?`);
  expect(text).toMatch(new RegExp(`^There is no time ${time}\\. `));
  expect(called).toEqual([]);
});

describe('a diagnosis that the person may not start', () => {
  const tools = new Set([...TOOLS].filter((name) => name !== 'start_diagnosis'));

  it('is refused with the role that it needs', () => {
    const needsRole = { start_diagnosis: 'trigger' as const };
    expect(ask('diagnose topology 7', { tools, needsRole }).text).toMatch(
      /^I may not start a diagnosis for you: your credential would need the role trigger\./,
    );
  });

  it('is refused with the sources of the question, if these leave it out', () =>
    expect(ask('diagnose topology 7', { tools }).text).toMatch(/not among the `sources`/));
});

describe('a comparison', () => {
  it('of two that found nothing, with different verdicts, does not say that they are the same', () => {
    const answer = (tool: string, args: JsonObject): Json => {
      const run = tell(tool, args) as JsonObject;
      return tool === 'get_run'
        ? {
            ...run,
            report: { ...WELL, verdict: args['run_id'] === id(3) ? 'inconclusive' : 'healthy' },
          }
        : run;
    };
    expect(ask('compare the shop with the blog', { answer }).text).not.toMatch(/the same/);
  });

  it('of two topologies shows the latest verdict of each, and what only one has', () =>
    expect(ask('compare the shop with the blog').text).toBe(
      [
        'Shop (topology 7): root cause found: Payments: connection refused.',
        'Blog (topology 2): healthy.',
        'Only in Shop (topology 7): Payments: connection refused and Checkout: answers 502.',
        LINE,
        `Run ${id(4)} of topology 2 (Blog) completed at 2026-11-22 08:40:02 UTC.`,
      ].join('\n'),
    ));

  it('of two topologies by their ids', () =>
    expect(ask('compare topology 2 and 7').text).toMatch(/^Blog .*\nShop /));

  it('of the last two diagnoses of one says what is new', () => {
    expect(ask('compare the last two runs of the shop').text).toMatch(
      /^2026-11-22 08:20:00 UTC: root cause found.*\n2026-11-22 08:30:00 UTC: .*\nBoth found the same\./,
    );
    expect(ask('compare the last two runs of the blog').text).toBe(
      'Topology 2 has only one completed diagnosis: there is nothing to compare.',
    );
  });
});

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
      `Payments is down.\n\n1. **Change**: Restart payments. \`systemctl restart pay\`\n2. **Look**: Look at its log.\n\n${LINE}`,
    );
  });

  it('is that of the only topology with a root cause, if none was named', () => {
    const everywhere = ask('what is broken right now?').text;
    for (const said of [[], [...SPOKEN, { by: 'oracle' as const, text: everywhere }]])
      expect(ask('how do I fix it?', { said }).text).toMatch(
        /^The report of this run suggests no next steps\.\nroot cause found: Payments/,
      );
  });

  it('asks which topology is meant if several have a root cause', () => {
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_run' && args['run_id'] === id(4)
        ? { ...(RUNS[0] as object), report: BROKEN }
        : tell(tool, args);
    expect(ask('how do I fix it?', { answer }).text).toBe(
      'Which topology? Several have a root cause:\n- 7: Shop\n- 2: Blog',
    );
  });

  it('is unknown if the report has no next steps', () =>
    expect(ask('how can we fix payments?').text).toMatch(
      /^The report of this run suggests no next steps\.\nroot cause found: Payments/,
    ));
});

describe('a question that is not understood', () => {
  test.each([
    'lorem ipsum',
    'how many users does the shop have?',
    'who deployed checkout?',
    'what does checkout cost?',
    'when will payments fail again?',
    'who is on call?',
    'restart payments',
    'delete the shop',
    'Why is the sky blue?',
    'why did the chicken cross the road?',
    'why did the shop cross the road?',
    'since when do birds fly?',
    'Which node is slowest?',
    'how many runs failed?',
    'which runs found payments?',
    'What did the first run find?',
    'compare the last 3 runs',
    'compare apples and oranges',
    'what is a root cause?',
    'what does checkout do?',
    'what depends on love?',
    'list the runs of Ada Lovelace',
    'what events led to the war?',
    'tell me a joke',
    'how are you?',
    'when did time begin?',
    'how long is the river?',
    'what happened tomorrow?',
    'what happened at 3pm?',
    'what happened between 12:00 and 13:00?',
    'what changed since yesterday?',
    'why was checkout broken yesterday?',
    'diagnose why the sky is blue',
    'warum ist der Shop kaputt?',
    'что сломалось?',
  ])('gets only the list of possible questions: %s', (question) => {
    const { text, called } = ask(question, { said: SPOKEN });
    expect(text).toMatch(/^I do not understand that\. I answer questions about .*"what is wrong/);
    expect(called).not.toContain('start_diagnosis');
    // What is read becomes a source of the answer.
    expect(called).not.toContain('get_topology');
  });
});

describe('a question that is understood', () => {
  test.each([
    ['What is broken right now?', /^The latest verdict of every topology:/],
    ['Is everything ok?', /^The latest verdict of every topology:/],
    ['Which topologies are broken?', /^The latest verdict of every topology:/],
    ['What was the last root cause?', /^Nothing was found to be wrong\.\nRun .*4 of topology 2/],
    ['Which runs failed?', /^The last diagnoses of topology 7 that are failed:/],
    ['List the topologies, please', /^There are 2 topologies:/],
    ['Compare the last two runs', /^2026-11-22 08:20:00 UTC: root cause found/],
    ['how do I fix it?', /^The report of this run suggests no next steps/],
    ['Why is checkout failing?', /^Checkout: answers 502.*line 58/s],
    ['Why is Payments the root cause?', /^Payments is the root cause/],
    ['Was the payments broken before?', /^Payments was well at/],
    ['What was the verdict of topology 7?', /^Root cause: Payments/],
    ['is payments affected?', /^Payments is the root cause/],
    ['what about the catalog?', /^Nothing was found to be wrong with Catalog/],
    ['when did the run start?', /^It took 2\.5 s, from 2026-11-22 08:30:00 UTC/],
    [`why did run ${id(2)} fail?`, /^Root cause: Payments.*Run .*2 of topology 7/s],
    ['tell me more', /^Root cause: Payments/],
  ])('gets its answer: %s', (question, answer) =>
    expect(ask(question, { said: SPOKEN }).text).toMatch(answer),
  );

  test.each([
    'how do I fix my car?',
    'diagnose my car',
    'is the car down?',
    'what happened to the car?',
  ])('except for its subject names that: %s', (question) => {
    const { text, called } = ask(question, { said: SPOKEN });
    expect(text).toMatch(/^I know no node called "car"/);
    expect(called).not.toContain('start_diagnosis');
  });

  it('may describe the problem of a diagnosis in any words', () =>
    expect(ask('diagnose the shop, customers cannot pay since friday').called).toContain(
      'start_diagnosis',
    ));

  it('may name a node of another topology than that of the chat', () =>
    expect(ask('what is wrong with press?', { topology: OWN }).text).toMatch(
      /^Nothing was found to be wrong with Press\.\nRun .* of topology 2/,
    ));
});

describe('what happened in a range of time', () => {
  const FIRST = 'The nearest began at 2026-11-22 08:10:00 UTC:';
  const none = (range: string) =>
    `${range} no run was under way: no such run is kept from that time. ${FIRST}`;
  test.each([
    ['what happened in 1989?', none('From 1989-01-01 00:00 UTC to 1990-01-01 00:00 UTC')],
    ['what happened yesterday?', none('On 2026-11-21 (UTC)')],
    ['what happened last night?', none('From 2026-11-21 18:00 UTC to 2026-11-22 06:00 UTC')],
    ['what failed on monday?', none('On 2026-11-16 (UTC)')],
    [
      'What was broken yesterday at 12:30?',
      `At 2026-11-21 12:30 UTC no run was under way. ${FIRST}`,
    ],
    [
      'what happened today?',
      'On 2026-11-22 (UTC) these 4 runs were under way; ask me about one by its id:',
    ],
    ['what happened to the blog on 2026-11-22?', 'On 2026-11-22 (UTC) this run was under way:'],
    [
      'which runs failed today?',
      'On 2026-11-22 (UTC) these 4 failed runs were under way; ask me about one by its id:',
    ],
    [
      'what happened today at 14:30?',
      '2026-11-22 14:30 UTC is still to come: no run is kept from that time.',
    ],
  ])('%s', (question, first) => expect(ask(question).text.split('\n')[0]).toBe(first));

  it('is the last such time that has passed', () =>
    expect(ask('what was broken at 12:30?', { now: '2026-11-22T09:00:00Z' }).text).toMatch(
      /^At 2026-11-21 12:30 UTC no run was under way/,
    ));

  it('says if only the latest runs were read', () => {
    const runs = Array.from({ length: 20 }, () => RUNS[0]) as unknown as Json;
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'list_runs' ? { runs } : tell(tool, args);
    expect(ask('what happened in 1989?', { answer }).text).toMatch(
      /^From 1989-.* no run was under way\. The nearest .*\n- .*\n\nI read the last 20 runs only\.$/s,
    );
  });
});

describe('which system is meant', () => {
  const person = (text: string): Remark => ({ by: 'person', text });
  const oracle = (text: string): Remark => ({ by: 'oracle', text });
  const MALL = {
    id: 9,
    name: 'Web mall',
    nodes: [{ id: 'mall', name: 'Mall', kind: 'service', dependsOn: ['press'] }, ...BLOG.nodes],
  };
  /** What the tools would say if there were one more topology. */
  const withMall = (tool: string, args: JsonObject): Json => {
    if (tool === 'get_topology' && args['topology_id'] === 9) return MALL;
    if (tool !== 'list_topologies') return tell(tool, args);
    const { topologies } = tell(tool, args) as { topologies: Json[] };
    return { topologies: [...topologies, ...those(args, [MALL])] };
  };

  it('the examples of its own help do not say', () => {
    const said = [
      person('hello'),
      oracle(ask('hello').text),
      oracle('Ask me to "diagnose topology 1".'),
    ];
    const { text, called } = ask('diagnose the platform please', { said });
    expect(called).not.toContain('start_diagnosis');
    expect(text).toMatch(/^Which topology\? Say "diagnose topology N"/);
  });

  it('a topology that does not exist is ignored', () => {
    const said = [
      ...SPOKEN.map(oracle),
      person('diagnose topology 999'),
      oracle('I could not find that out: There is no topology 999.'),
    ];
    expect(ask('what is wrong?', { said }).text).toContain(LINE);
    expect(ask('diagnose the shop', { said }).text).toMatch(/^Root cause: Payments/);
    expect(ask('what is wrong?', { said: said.slice(1) }).text).toContain(id(4));
  });

  it('a list of runs names none', () => {
    const said = [...SPOKEN.map(oracle), oracle(ask('list the runs').text)];
    expect(ask('why?', { said }).text).toContain(LINE);
  });

  it('a node or a word of its name finds it, if only one has it', () => {
    expect(ask('diagnose the mall', { answer: withMall }).called).toContain('start_diagnosis');
    expect(ask('diagnose the storefront').called).toContain('start_diagnosis');
    const { text, called } = ask('diagnose the press', { answer: withMall });
    expect(called).not.toContain('start_diagnosis');
    expect(text).toBe(
      'Which topology? Several fit:\nThere are 2 topologies:\n- 2: Blog (1 node)\n- 9: Web mall (2 nodes)',
    );
  });

  it('its name is not taken for a node that has a part of it', () =>
    expect(ask('what is wrong with the web mall?', { answer: withMall }).text).toMatch(
      /^No diagnosis of topology 9 has completed yet/,
    ));

  it('a node is found whatever was diagnosed last, and another system never answers', () => {
    expect(ask('is the mall ok?', { answer: withMall }).text).toMatch(
      /^No diagnosis of topology 9 has completed yet/,
    );
    expect(ask('what is wrong with press?', { said: SPOKEN }).text).toMatch(
      /^Nothing was found to be wrong with Press\.\n.*topology 2/,
    );
    expect(ask('is billing ok?', { said: SPOKEN }).text).toMatch(
      /^I know no node called "billing"/,
    );
  });

  it('is asked how it is without a topology of the chat', () => {
    expect(ask('is payments ok?').text).toMatch(
      /^Payments is the root cause: .*for what is now, ask me to "diagnose topology 7"\.$/s,
    );
    expect(ask('is the orders db up?').text).toMatch(/^Orders database was not checked/);
    expect(ask('is topology 7 ok?').text).toMatch(
      /^Root cause: Payments.*completed at 2026-11-22.*ask me to "diagnose topology 7"\.$/s,
    );
  });
});

describe('since when', () => {
  const many = (n: number, isWellFirst: boolean) =>
    Array.from({ length: n }, (_, i) => ({
      ...run(0, String(59 - i), isWellFirst && i === n - 1 ? WELL : BROKEN),
      run_id: `01900000-0000-7000-8000-0000000001${String(i).padStart(2, '0')}`,
    }));
  const from = (runs: ReturnType<typeof many>) => (tool: string, args: JsonObject) => {
    if (tool === 'list_runs')
      return { runs: runs.slice(0, Number(args['limit'])) } as unknown as Json;
    if (tool === 'get_run')
      return runs.find(({ run_id }) => run_id === args['run_id']) as unknown as Json;
    return tell(tool, args);
  };

  it('reads earlier diagnoses until the node was healthy', () =>
    expect(ask('since when is payments broken?', { answer: from(many(18, true)) }).text).toMatch(
      /^Payments was well at 2026-11-22 08:42:02 UTC \(run .*117\) and unwell at 2026-11-22 08:43:00 UTC: it began in between\. Run .*116 was the first/,
    ));

  it('names the number of diagnoses that it has read', () =>
    expect(ask('since when is payments broken?', { answer: from(many(40, true)) }).text).toMatch(
      /^Payments was unwell at 2026-11-22 08:40:00 UTC already \(run .*119\); none of the 20 diagnoses that I read saw it well, so I cannot/,
    ));
});

describe('short answers', () => {
  test.each([
    ['when was the last diagnosis?', /^The last diagnosis:\n- 2026-11-22 08:40:00 UTC, topology 2/],
    ['what is topology 7?', /^Topology 7 \(Shop\) has 5 nodes:/],
    ['was payments broken before?', /^Payments was well at /],
  ])('%s', (question, answer) => expect(ask(question).text).toMatch(answer));

  it('a long list is cut, and a cancelled run ends with a full stop', () => {
    const findings = Array.from({ length: 14 }, (_, i) => finding(`n${i}`, 'slow', [i]));
    const long = { ...RUNS[1], report: { ...BROKEN, findings } };
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_run' ? long : tell(tool, args);
    expect(ask('what is wrong with the shop?', { answer }).text).toMatch(/- and 4 more\n/);
    const cancelled = {
      ...RUNS[1],
      status: 'cancelled',
      summary: 'Cancelled by user',
      report: null,
    };
    const listed = (tool: string, args: JsonObject): Json =>
      tool === 'list_runs' ? { runs: [cancelled] } : tell(tool, args);
    expect(ask('list the runs', { answer: listed }).text).toContain(
      'cancelled: Cancelled by user. Run ',
    );
  });

  const docs = readFileSync('docs/conversations.md', 'utf8');
  const examples = [
    ...(/Without a language model.*?It recognises/s.exec(docs)?.[0] ?? '').matchAll(/"([^"]+)"/g),
  ].map(([, example = '']) => example);
  it('the documentation has examples', () => expect(examples.length).toBeGreaterThan(10));
  test.each(examples)('the example of the documentation is understood: %s', (example) => {
    const { text, called } = ask(example.replace(/\s+/g, ' '), { said: SPOKEN });
    expect(text).not.toMatch(/do not understand|I know no|[Ww]hich topology|could not find/);
    expect(called).not.toEqual([]);
  });
});
