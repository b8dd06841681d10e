import { describe, expect, it } from '@jest/globals';
import { ask, id, tellOf } from '../../../../../test/support/incidents/oracle-questions.js';

const node = (id: string, name: string, kind: string, ...dependsOn: string[]) => ({
  id,
  name,
  kind,
  dependsOn,
});
const STORE = {
  id: 5,
  name: 'Store',
  nodes: [
    node('payments', 'Payments', 'service', 'ledger-db'),
    node('ledger-db', 'Ledger DB', 'tcp'),
  ],
};
const PLATFORM = {
  id: 6,
  name: 'Depot',
  nodes: [
    node('payments', 'Payments', 'service', 'records'),
    node('records', 'Records', 'postgres'),
    node('resolver', 'Resolver', 'dns'),
  ],
};
const DIARY = { id: 8, name: 'Diary', nodes: [node('feed', 'Feed', 'service')] };
const ALL = [STORE, PLATFORM, DIARY];
const answer = tellOf(ALL);
const HOME = {
  ...STORE,
  nodes: STORE.nodes.map((each) => ({
    ...each,
    firstLook: [{ tool: 'http_probe', args: { node: each.id } }],
  })),
};
/** A conversation about a topology. */
const about = (topology: (typeof ALL)[number]) => [
  `Nothing was found to be wrong.\nRun ${id(ALL.indexOf(topology) + 1)} of topology ${topology.id} (${topology.name}) completed.`,
];

describe('a word for a kind of node', () => {
  it.each(['db down?', 'is the DB up?'])(
    'means the only node of the topology of a chat that is called so: %s',
    (question) =>
      expect(ask(question, { topology: HOME, answer }).text).toMatch(
        /Ledger DB \(nothing answers\)/,
      ),
  );

  it.each(['is the db ok', 'is it the db'])(
    'means the only node that is called by another word for these kinds: %s',
    (question) => {
      const store = { ...STORE, nodes: [node('records', 'Orders database', 'tcp')] };
      const all = tellOf([store, { ...PLATFORM, nodes: [node('ledger', 'Ledger DB', 'tcp')] }]);
      const { text } = ask(question, { answer: all, said: about(STORE) });
      expect(text).toContain('Orders database');
      expect(text).not.toContain('Ledger DB');
    },
  );

  it('that any node may have does not leave the topology under discussion', () => {
    const inChat = ask('is it dns', { topology: HOME, answer }).text;
    expect(inChat).toContain('Nothing about DNS was measured at Payments and Ledger DB.');
    const discussed = ask('is it dns', { said: about(STORE), answer }).text;
    expect(discussed).toMatch(/^I cannot tell, in topology 5 \(Store\)\. /);
    expect(ask('is it dns', { answer }).text).toMatch(/^I cannot tell\. .*\nThat is from the/s);
  });

  it('that any node may have means the nodes of that kind where there are some', () =>
    expect(ask('is it dns', { said: about(PLATFORM), answer }).text).toContain('Resolver'));
});

it('a repair of a node that other topologies have asks which is meant', () =>
  expect(ask('restart payments', { said: about(DIARY), answer }).text).toMatch(
    /^I change nothing: .*\nWhich topology\? Several fit:\n- 5: Store .*\n- 6: Depot /,
  ));

it.each(['ALERT PaymentsDown firing', 'alert: feed is down'])(
  'an alert that is pasted is no command: %s',
  (question) => expect(ask(question, { answer }).text).not.toMatch(/^I change nothing/),
);

it('a follow-up that names only another topology keeps the node of the question before', () => {
  const question = 'is payments ok in the store?';
  const said = [
    { by: 'person' as const, text: question },
    { by: 'oracle' as const, text: ask(question, { answer }).text },
  ];
  const { text } = ask('and in the depot?', { said, answer });
  expect(text).toMatch(/^Nothing was found to be wrong with Payments\.\nRun .* of topology 6 /);
});

describe('a node of one topology and the name of another', () => {
  it.each(['whats wrong with ledger db and diary', 'is the ledger db and the diary ok?'])(
    'are both answered: %s',
    (question) => {
      const { text } = ask(question, { answer });
      expect(text).toMatch(/^Diary \(topology 8\): /m);
      expect(text).toMatch(/^Store \(topology 5\): .*with Ledger DB/m);
      expect(text).not.toContain('I know no node');
    },
  );

  it('are not both meant if the topology is where the node should be', () =>
    expect(ask('what is wrong with the ledger db of the diary?', { answer }).text).not.toMatch(
      /^Run /m,
    ));
});
