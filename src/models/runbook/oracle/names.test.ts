import { expect, it, test } from '@jest/globals';
import type { Json, JsonObject } from '../../../lib/json.js';
import { SHOP, SPOKEN, ask, id, tell, those } from '../../../../test/support/oracle-questions.js';

test.each([
  ['is the database down?', 'database', /Orders database was not checked/],
  ['is the databse ok?', 'databse', /Orders database was not checked/],
  ['are the databases ok?', 'databases', /Orders database was not checked/],
  ['is the oders databse ok?', 'oders databse', /Orders database was not checked/],
  ['are the orders databases ok?', 'orders databases', /Orders database was not checked/],
  ['is the tcp ok?', 'tcp', /Orders database was not checked/],
  ['what depends on the database?', 'database', /Payments depends on Orders database/],
])(
  'a part of the name of a node, its kind or a misspelt name finds it: %s',
  (question, given, answer) => {
    const { text } = ask(question);
    expect(text).toMatch(new RegExp(`^I read "${given}" as "orders database"\\.\\n`));
    expect(text).toMatch(answer);
  },
);

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
