import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import type { Remark } from '../reading/question.js';
import {
  BLOG,
  LINE,
  SPOKEN,
  ask,
  id,
  tell,
  those,
} from '../../../../../test/support/incidents/oracle-questions.js';

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

  const discussed = [oracle(`Nothing was found to be wrong.\nRun ${id(4)} of topology 2 (Blog).`)];

  it.each(['anything wrong?', 'anything wrong with you?', 'is something broken?'])(
    'is not what was discussed if a question asks about anything: %s',
    (question) =>
      expect(ask(question, { said: discussed }).text).toMatch(
        /^Yes\.\nThe latest verdict of every topology:\n- Shop .*root cause found/,
      ),
  );

  it.each(['anything wrong with it?', 'what is wrong?', 'anything wrong with the blog?'])(
    'is what was discussed or named otherwise: %s',
    (question) =>
      expect(ask(question, { said: discussed }).text).toMatch(
        /^(?:N|No, at .* n)othing was found to be wrong/,
      ),
  );

  it('is what was discussed also if nothing is wrong there: the answer says where else it is', () => {
    const { text } = ask('how do I fix it?', { said: discussed });
    expect(text).toMatch(/no next steps\.\nhealthy\.\nRun .*4 of topology 2 \(Blog\)/);
    expect(text).toMatch(
      /\nSomething is wrong elsewhere: Shop \(topology 7\)\. Name it in the question if you mean that\.$/,
    );
    expect(ask('how do I fix the blog?', { said: discussed }).text).not.toContain('elsewhere');
  });

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
    expect(ask('what is wrong?', { said: said.slice(1) }).text).toMatch(/^The latest verdict/);
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
    expect(text).toBe('Which topology? Several fit:\n- 2: Blog (1 node)\n- 9: Web mall (2 nodes)');
  });

  it('a part of its name finds it, also beside another one', () => {
    const { text } = ask('compare the mall with the blog', { answer: withMall });
    expect(text).toMatch(/^No diagnosis of topology 9 has completed yet/);
    expect(ask('is the press of the mall ok?', { said: discussed, answer: withMall }).text).toMatch(
      /^No diagnosis of topology 9 has completed yet/,
    );
    // The topology that was discussed has the node, and "web" is a word of both names.
    const web = (tool: string, args: JsonObject): Json =>
      tool === 'list_topologies'
        ? { topologies: those(args, [{ ...BLOG, name: 'Web blog' }, MALL]) }
        : withMall(tool, args);
    expect(ask('is the press of the web ok?', { said: discussed, answer: web }).text).toMatch(
      /^Yes, at .* nothing was found to be wrong with Press\..*topology 2/s,
    );
    expect(ask('compare mall and blog', { answer: web }).text).toMatch(
      /^No diagnosis of topology 9 has/,
    );
  });

  it('its name is not taken for a node that has a part of it', () =>
    expect(ask('what is wrong with the web mall?', { answer: withMall }).text).toMatch(
      /^No diagnosis of topology 9 has completed yet/,
    ));

  it.each(['what is wrong with payments and press?', 'are payments and press ok?'])(
    'nodes of another one in the same question are said to be left out: %s',
    (question) => {
      const { text } = ask(question, { said: SPOKEN });
      expect(text).toContain('Payments is the root cause');
      expect(text).toMatch(
        /\nI left out "Press", which is in topology 2 \(Blog\): add "of topology 2" to a question about it\.$/,
      );
      expect(ask(question).text).toContain('Press');
    },
  );

  it('a node is found whatever was diagnosed last, and another system never answers', () => {
    expect(ask('is the mall ok?', { answer: withMall }).text).toMatch(
      /^No diagnosis of topology 9 has completed yet/,
    );
    expect(ask('what is wrong with press?', { said: SPOKEN }).text).toMatch(
      /^Topology 7 has nothing called "Press", but topology 2 \(Blog\) has: add "of topology 2" to the question if you mean that\.$/,
    );
    expect(ask('is billing ok?', { said: SPOKEN }).text).toMatch(
      /^I know no node called "billing"/,
    );
  });

  it('is asked how it is without a topology of the chat', () => {
    expect(ask('is payments ok?').text).toMatch(
      /^No, not at .*\nPayments is the root cause: .*for what is now, ask me to "diagnose topology 7"\.$/s,
    );
    expect(ask('is the orders db up?').text).toMatch(
      /^I cannot tell: .*\nOrders database was not checked/,
    );
    expect(ask('is topology 7 ok?').text).toMatch(
      /^No, not at .*\nRoot cause: Payments.*completed at 2026-11-22.*ask me to "diagnose topology 7"\.$/s,
    );
  });
});
