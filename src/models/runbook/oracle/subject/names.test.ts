import { describe, expect, it, test } from '@jest/globals';
import { RefusedError } from '../../../../domain/errors.js';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  OWN,
  SHOP,
  SPOKEN,
  ask,
  id,
  tell,
  tellOf,
  those,
} from '../../../../../test/support/incidents/oracle-questions.js';

/** A topology of services without dependencies. @param nodes their names by id */
const named = (topology: number, name: string, nodes: Record<string, string>) => ({
  id: topology,
  name,
  nodes: Object.entries(nodes).map(([id, own]) => ({
    id,
    name: own,
    kind: 'service',
    dependsOn: [],
  })),
});

test.each([
  ['is the database down?', 'database', /Orders database was not checked/],
  ['is the databse ok?', 'databse', /Orders database was not checked/],
  ['are the databases ok?', 'databases', /Orders database was not checked/],
  ['is the oders databse ok?', 'oders databse', /Orders database was not checked/],
  ['are the orders databases ok?', 'orders databases', /Orders database was not checked/],
  ['what depends on the database?', 'database', /Payments depends on Orders database/],
])('a part of the name of a node or a misspelt name finds it: %s', (question, given, answer) => {
  const { text } = ask(question);
  expect(text).toMatch(new RegExp(`^I read "${given}" as "orders database"\\.\\n`));
  expect(text).toMatch(answer);
});

it('asks which node is meant if several are like it', () => {
  const shop = {
    ...SHOP,
    nodes: [...SHOP.nodes, { id: 'users-db', name: 'Users database', kind: 'tcp', dependsOn: [] }],
  };
  const answer = (tool: string, args: JsonObject): Json =>
    tool === 'list_topologies'
      ? { topologies: those(args, [shop]) }
      : tool === 'get_topology'
        ? shop
        : tell(tool, args);
  expect(ask('is the database down?', { answer }).text).toBe(
    'I know no node called "database", and no topology. Did you mean "orders database" or "users database"?',
  );
});

it.each(['is it the frontend?', 'what is wrong with the gateway?', 'is it the broker?'])(
  'names the nodes of the topology under discussion if it has none of that name: %s',
  (question) => {
    const nodes = 'Storefront, Checkout, Catalog, Payments and Orders database';
    for (const given of [{ topology: OWN }, { said: SPOKEN }])
      expect(ask(question, given).text).toMatch(
        new RegExp(
          `^I know no node called "\\w+"(?: or of that kind)?, and no topology\\. The nodes of topology 7 \\(Shop\\) are ${nodes}\\.`,
        ),
      );
  },
);

it('does not take a word for another one that is a letter shorter', () =>
  expect(ask('is this a known problem?').text).toMatch(/^I do not understand that\./));

it('does not compare diagnoses if two nodes are to be compared', () => {
  const { text } = ask('compare the storefront and the checkout');
  expect(text).toMatch(
    /^I compare topologies and diagnoses\. This is how these nodes were found:\n/,
  );
  expect(text).toMatch(/Checkout: answers 502/);
  expect(text).not.toContain('Both found the same');
});

it('the run that was nearest to a time is not what the conversation is about', () => {
  const nearest = ask('what happened on 2026-11-20 at 12:00?').text;
  expect(nearest).toMatch(/no run was under way.*The nearest began at/s);
  const said = [...SPOKEN, nearest];
  expect(ask('what is wrong with payments?', { said }).text).toContain(id(3));
  expect(ask('what is wrong with payments?', { said: [nearest] }).text).toContain(id(3));
});

describe('a name with words that ask something', () => {
  const answer = tellOf([
    named(50, 'Odd names', { wrong: 'Wrong', r: 'Not a redis', status: 'Status' }),
    named(60, 'Web shop', { shop: 'Shop', db: 'Database' }),
    named(61, 'Blog', { press: 'Press' }),
    named(62, 'Report engine', { slow: 'Slow', hanging: 'Hanging', bus: 'Event bus' }),
    named(70, 'Status page', {
      'log-shipper': 'Log shipper',
      bus: 'Message bus',
      log: 'Event log',
    }),
    named(71, 'Last mile', { api: 'API' }),
  ]);
  const said = (question: string) => ask(question, { answer });

  it.each([
    'diagnose the report engine',
    'can you check the report engine?',
    'check report engine',
  ])('is no question about a report: %s', (question) => {
    const { text, called } = said(question);
    expect(called).toContain('start_diagnosis');
    expect(text).toMatch(/^Nothing was found to be wrong\.\nRun .* of topology 62 /);
  });

  it.each([
    ['is the log shipper ok?', 'Log shipper', 70],
    ['is the log-shipper ok?', 'Log shipper', 70],
    ['is the event bus ok?', 'Event bus', 62],
    ['is the message bus ok?', 'Message bus', 70],
    ['is the event log ok?', 'Event log', 70],
    ['is status ok?', 'Status', 50],
  ])('is a node: %s', (question, node, topology) => {
    const { text, called } = said(question);
    expect(called).not.toContain('read_log');
    expect(text).toContain(`othing was found to be wrong with ${node}.`);
    expect(text).toMatch(`of topology ${topology} `);
  });

  it.each([
    ['what is wrong with the web shop?', 60],
    ['is the blog not healthy?', 61],
    ['is the status page ok?', 70],
    ['what did you find in the last mile?', 71],
  ])('does not change a question about another topology: %s', (question, topology) =>
    expect(said(question).text).toMatch(
      new RegExp(
        `^(?:Yes, at [^\\n]* n|N)othing was found to be wrong\\.\\n+Run .* of topology ${topology} `,
      ),
    ),
  );

  it('is a word where a word would stand', () =>
    expect(said('what is wrong?').text).toMatch(/^The latest verdict of every topology:/));

  it('looks the topologies up once', () => {
    const { called } = said('is the log shipper ok?');
    expect(called.filter((tool) => tool === 'list_topologies')).toHaveLength(1);
  });
});

describe('a name that is a short or a common word', () => {
  const answer = tellOf([
    SHOP,
    named(50, 'Web', { 'last-order': 'Last order', status: 'Status', report: 'Report' }),
    named(51, 'Check', { cause: 'Cause', run: 'Run' }),
    named(52, 'Orders', { down: 'Down', test: 'Test' }),
  ]);
  const shop = `Nothing was found to be wrong.\nRun ${id(1)} of topology 7 (Shop) completed.`;
  const about = (text: string) => [...text.matchAll(/of topology (\d+) \(/g)].map(([, of]) => of);

  it.each([
    'what is the status of payments?',
    'what is the status of topology 7?',
    'what is the report of topology 7?',
    'is the web storefront ok?',
    'is the web shop ok?',
    'why did the web checkout fail?',
    'is the test of payments ok?',
    'why is the shop down?',
  ])('loses against a longer name, several names and an id: %s', (question) => {
    for (const said of [[], [shop]])
      expect(about(ask(question, { answer, said }).text)).toEqual(['7']);
  });

  it.each([
    'what is the status?',
    'show me the report',
    'what is the cause?',
    'what did the run find?',
    'is status ok?',
    'what is wrong with the web?',
    'what was the status of the last run of the shop?',
  ])('loses against the topology of the conversation: %s', (question) =>
    expect(about(ask(question, { answer, said: [shop] }).text)).toEqual(['7']),
  );

  it.each(['what is the cause?', 'what is the status?', 'show me the report'])(
    'is a word if the question is understood so: %s',
    (question) =>
      expect(ask(question, { answer }).text).toMatch(/^The latest verdict of every topology:/),
  );

  it.each([
    ['is the node status ok?', 50],
    ['is "status" ok?', 50],
    ['what is wrong with topology web?', 50],
    ['is the last order ok?', 50],
    ['is the run ok?', 51],
    ['are orders down?', 52],
  ])('is a name if it is called one, or nothing else is named: %s', (question, topology) =>
    expect(about(ask(question, { answer }).text)).toEqual([`${topology}`]),
  );

  it('is offered, and not answered, if only another topology has it than the one discussed', () => {
    const offer =
      'Topology 7 has nothing called "last-order", but topology 50 (Web) has: add "of topology 50" to the question if you mean that.';
    for (const asked of [{ said: [shop] }, { topology: OWN }])
      expect(ask('is the last order ok?', { answer, ...asked }).text).toBe(offer);
    expect(ask('what depends on the last order?', { answer, said: [shop] }).text).toBe(offer);
    const said = [shop, ask('is the last order ok?', { answer, said: [shop] }).text];
    expect(about(ask('what is wrong?', { answer, said }).text)).toEqual(['7']);
    expect(about(ask('is the last order of topology 50 ok?', { answer, said }).text)).toEqual([
      '50',
    ]);
    expect(ask('is the last order ok?', { answer }).text).not.toContain('nothing called');
  });
});

it('never shows a refusal that is meant for a model', () => {
  const errors = [new RefusedError('Tell the person: no.'), new Error('Other.')];
  const [forModel, other] = errors.map((error) =>
    ask('diagnose topology 7', {
      answer: (tool, args) => (tool === 'start_diagnosis' ? error : tell(tool, args)),
    }),
  );
  expect(forModel?.text).toBe(
    'I start a diagnosis only if you ask for it: write "diagnose topology 7".',
  );
  expect(other?.text).toBe('I could not find that out: Other.');
});
