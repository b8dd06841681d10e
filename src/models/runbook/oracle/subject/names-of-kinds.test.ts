import { describe, expect, it } from '@jest/globals';
import { ask, id, tellOf } from '../../../../../test/support/incidents/oracle-questions.js';

describe('a kind of nodes', () => {
  const node = (key: string, name: string, kind: string) => ({
    id: key,
    name,
    kind,
    dependsOn: [],
  });
  const HOME = {
    id: 201,
    name: 'Store',
    nodes: [
      node('s', 'Sessions', 'redis'),
      node('b', 'Baskets', 'redis'),
      node('l', 'Ledger', 'postgres'),
      node('d', 'Events', 'cassandra'),
    ],
  };
  const OTHER = {
    id: 3,
    name: 'A service and its Redis',
    nodes: [node('r', 'Redis', 'redis'), node('c', 'Cassandra', 'cassandra')],
  };
  const answer = tellOf([HOME, OTHER]);
  const said = ['Nothing was found to be wrong.\nRun ' + id(1) + ' of topology 201 (Store).'];

  it.each([
    ['ok and the redis?', ['Sessions', 'Baskets']],
    ['what is wrong with the postgres?', ['Ledger']],
    ['what about cassandra?', ['Events']],
    ['what is wrong with the redises?', ['Sessions', 'Baskets']],
  ])('of the topology under discussion means those nodes: %s', (question, names) => {
    const { text } = ask(question, { answer, said });
    expect(text.split('\n').slice(0, -2)).toEqual(
      names.map((name) => `Nothing was found to be wrong with ${name}.`),
    );
    expect(text).toContain('of topology 201 (Store)');
  });

  it('is not meant if a topology is named by its whole name, or if a node is called like it', () => {
    expect(ask('is a service and its redis ok?', { answer, said }).text).toContain(
      'of topology 3 ',
    );
    const both = tellOf([{ ...HOME, nodes: [...HOME.nodes, node('x', 'Redis', 'service')] }]);
    expect(ask('what is wrong with redis?', { answer: both, said }).text).toMatch(
      /^Nothing was found to be wrong with Redis\.\nRun /,
    );
  });

  it.each([
    ['is redis ok?', ['Sessions', 'Baskets', 'Keys']],
    ['is the cache down?', ['Sessions', 'Baskets', 'Keys']],
    ['any problems with the postgres?', ['Ledger']],
  ])('means those of all topologies where none is under discussion: %s', (question, names) => {
    const named = { ...OTHER, nodes: [node('k', 'Keys', 'redis')] };
    const { text } = ask(question, { answer: tellOf([HOME, named]) });
    for (const name of ['Sessions', 'Baskets', 'Keys', 'Ledger', 'Events'])
      expect(text.includes(name)).toBe(names.includes(name));
  });

  it.each(['is it payments redis?', 'how sure are you about payments redis?'])(
    'is not meant by a word of a longer name: %s',
    (question) => {
      const named = { ...OTHER, name: 'Shop', nodes: [node('pr', 'Payments Redis', 'redis')] };
      expect(ask(question, { answer: tellOf([HOME, named]), said }).text).toMatch(
        /^Topology 201 has nothing called "Payments Redis", but topology 3 \(Shop\) has/,
      );
    },
  );

  it.each(['is kafka down?', 'is the kafka of the shop ok?'])(
    'that no topology has is not known: %s',
    (question) =>
      expect(ask(question).text).toMatch(
        /^I know no node called "kafka" or of that kind, and no topology\. .*(?:Shop|Storefront)/s,
      ),
  );

  it('that only another topology has is offered', () =>
    expect(
      ask('and the mysql?', { answer: tellOf([HOME, { ...OTHER, name: 'Mysql' }]), said }).text,
    ).toContain('topology 3'));
});
