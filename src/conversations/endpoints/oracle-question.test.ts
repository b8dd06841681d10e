import { describe, expect, it } from '@jest/globals';
import { oracleQuestion } from './oracle-question.js';

const read = (body: object) => oracleQuestion.parse({ question: 'Why is it slow?', ...body });
const faults = (body: object) =>
  oracleQuestion.safeParse(body).error?.issues.map(({ path, message }) => [path[0], message]);

describe('a question of the oracle panel', () => {
  it('is a lenient turn that replaces the one under way', () => {
    expect(read({})).toMatchObject({ message: 'Why is it slow?', lenient: true, exclusive: true });
  });

  it.each([
    [7, { topologyId: 7 }],
    ['7', { topologyId: 7 }],
    ['shop', { unknownTopology: 'shop' }],
    ['07', { unknownTopology: '07' }],
    [-1, { unknownTopology: '-1' }],
    [1.5, { unknownTopology: '1.5' }],
    ['9'.repeat(16), { unknownTopology: '9'.repeat(16) }],
    [true, { unknownTopology: 'true' }],
    [{}, { unknownTopology: '{}' }],
    [[7], { unknownTopology: '[7]' }],
  ])('takes the project %j for a topology or for an unknown name', (project_id, expected) => {
    const { topologyId, unknownTopology } = read({ project_id });
    expect({ topologyId, unknownTopology }).toEqual({
      topologyId: undefined,
      unknownTopology: undefined,
      ...expected,
    });
  });

  it.each([null, undefined, ''])('has no topology for the project %j', (project_id) => {
    const turn = read({ project_id });
    expect([turn.topologyId, turn.unknownTopology]).toEqual([undefined, undefined]);
  });

  it('ignores unknown sources; none that is known means all', () => {
    expect(read({ sources: ['runs', 'code', 'runs', 5] }).sources).toEqual(['runs']);
    expect(read({ sources: ['code'] }).sources).toBeUndefined();
  });

  it('takes an empty model or context for none, and any other model for an unknown one', () => {
    const { model, conversationId } = read({ model: '', context_id: '' });
    expect([model, conversationId]).toEqual([undefined, undefined]);
    expect(read({ model: { name: 'x' } }).model).toBe('{"name":"x"}');
    expect(read({ model: 'x'.repeat(5_000) }).model?.length).toBeLessThanOrEqual(200);
  });

  it.each(['vault', {}, true, null])('takes the sources %j for all', (sources) => {
    expect(read({ sources }).sources).toBeUndefined();
  });

  it('continues the exchange that its context names', () => {
    const context_id = 'talk~0123456789ab';
    expect(read({ context_id })).toMatchObject({ conversationId: 'talk', node: context_id });
    expect(read({ context_id: 'talk' })).toMatchObject({ conversationId: 'talk', node: undefined });
  });

  it.each([
    [{ question: ' \u200b' }, 'question'],
    [{ max_tokens: 1 }, 'max_tokens'],
    [{ max_tokens: '5' }, 'max_tokens'],
    [{ context_id: 'a b' }, 'context_id'],
    [{ context_id: 5 }, 'context_id'],
    [{ run_id: '1' }, 'run_id'],
    [{ thinking: 'yes' }, 'thinking'],
    [{ onDisconnect: 'stop' }, 'onDisconnect'],
  ])('is refused with the field that is wrong and what it must be: %j', (body, field) => {
    expect(faults({ question: 'x', ...body })).toEqual([
      [field, expect.stringMatching(/^must be /)],
    ]);
  });
});
