import { describe, expect, it } from '@jest/globals';
import { OWN, ask, id, tell } from '../../../../../test/support/incidents/oracle-questions.js';
import type { Json, JsonObject } from '../../../../lib/json.js';
import type { Remark } from '../reading/question.js';

const asked = (...questions: string[]): Remark[] =>
  questions.flatMap((text) => [
    { by: 'person' as const, text },
    { by: 'oracle' as const, text: `Run ${id(3)} of topology 7 (Shop) completed.` },
  ]);
const after = (questions: string[], question: string) =>
  ask(question, { said: asked(...questions) }).text;

describe('a question about several subjects of the questions before', () => {
  it.each([
    'which one of them is down',
    'which of them is broken?',
    'which is down?',
    'which one is ok',
  ])('gives the verdict of each topology: %s', (question) =>
    expect(after(['shop status', 'blog?'], question)).toMatch(
      /^The latest verdicts:\n- Shop .*\n- Blog .*healthy/,
    ),
  );

  it.each(['are both ok?', 'are all of them ok'])(
    'says yes or no of all topologies: %s',
    (question) =>
      expect(after(['shop and blog status'], question)).toMatch(/^No\.\nThe latest verdicts:/),
  );

  it('is about the same subjects as a question like it', () =>
    expect(after(['shop status', 'blog?', 'which is down?'], 'are both ok?')).toMatch(
      /^No\.\nThe latest verdicts:\n- Shop .*\n- Blog /,
    ));

  it('starts the diagnosis of each', () => {
    const said = asked('shop status', 'blog?');
    const started: Json[] = [];
    const answer = (tool: string, args: JsonObject): Json => {
      if (tool === 'start_diagnosis') started.push(args['topology_id'] ?? null);
      return tell(tool, args);
    };
    ask('diagnose both', { said, answer });
    expect(started).toEqual([7, 2]);
  });

  it.each(['show me both', 'tell me about both'])('explains each node: %s', (question) => {
    const text = after(['is payments ok?', 'and checkout?'], question);
    expect(text).toMatch(/^Checkout: answers 502/m);
    expect(text).toMatch(/^Payments is the root cause/m);
  });

  it('is about no other node if it names some itself', () => {
    const text = after(['is catalog or payments down?'], 'are both payments and checkout down?');
    expect(text).toContain('Checkout');
    expect(text).not.toContain('Catalog');
  });

  it('is about the nodes that were named', () => {
    expect(after(['catalog?', 'is payments ok?'], 'which one is down?')).toMatch(
      /^Nothing was found to be wrong with Catalog\.\nPayments is the root cause/,
    );
  });

  it('measures those nodes in a chat about their topology', () => {
    const { text, called } = ask('which of them is down?', {
      said: asked('catalog?', 'is payments ok?'),
      topology: OWN,
    });
    expect(called).toContain('http_probe');
    expect(text).toMatch(/^Found wrong: Catalog \(nothing answers\) and Payments/);
  });

  it.each([[['shop status']], [['shop status', 'payments?']]])(
    'is about the nodes of the topology if it is the only one, and if it is named with a node: %j',
    (questions) => expect(after(questions, 'which of them are down?')).toContain('of topology 7'),
  );
});
