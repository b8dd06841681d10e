import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  ask,
  id,
  tellOf,
  type SHOP,
} from '../../../../../test/support/incidents/oracle-questions.js';
import { tellWorld, USUAL } from '../../../../../test/support/incidents/oracle-world.js';

function diagnosed(question: string, tell = tellWorld(USUAL)) {
  const started: number[] = [];
  const answer = (tool: string, args: JsonObject): Json | Error => {
    if (tool === 'start_diagnosis') started.push(Number(args['topology_id']));
    return tell(tool, args);
  };
  return { text: ask(question, { answer }).text, started: started.toSorted((a, b) => a - b) };
}

describe('a request to diagnose several topologies', () => {
  it.each([
    ['diagnose shop and billing', [11, 13]],
    ['diagnose the shop and the blog please', [11, 12]],
    ['diagnose shop, billing and blog', [11, 12, 13]],
    ['diagnose web shop and billing', [11, 13]],
    ['diagnose both the shop and billing', [11, 13]],
    ['diagnose the shop as well as billing', [11, 13]],
    ['check all three: shop, blog, billing', [11, 12, 13]],
    ['check web shop and billing', [11, 13]],
    ['diagnose topology 11 and 12', [11, 12]],
    ['diagnose topology 11 and 11', [11]],
    ['diagnose the shop', [11]],
    ['diagnose the blog, its shop is slow', [12]],
  ])('starts those that it names: %s', (question, ids) => {
    const { started, text } = diagnosed(question);
    expect(started).toEqual(ids);
    for (const each of ids) expect(text).toContain(`of topology ${each} (`);
  });

  it('says which are left', () => {
    const many = [1, 2, 3, 4, 5, 6, 7].map((n) => ({
      id: n,
      name: `Area${n}`,
      nodes: [{ id: `n${n}`, name: `N${n}`, kind: 'service', dependsOn: [] }],
    })) as (typeof SHOP)[];
    const names = many.map(({ name }) => name).join(', ');
    const { started, text } = diagnosed(`diagnose ${names}`, tellOf(many));
    expect(started).toEqual([1, 2, 3, 4, 5]);
    expect(text).toMatch(
      /\nI diagnose at most 5 topologies for a message\. For the rest, say "diagnose topology 6" and "diagnose topology 7"\.$/,
    );
  });

  it('says which were not started', () => {
    const { text } = diagnosed('diagnose topology 11 and 99', (tool, args) => {
      const told = tellWorld(USUAL)(tool, args);
      return tool === 'start_diagnosis' && args['topology_id'] === 99
        ? (new Error('There is no topology 99.') as unknown as Json)
        : told;
    });
    expect(text).toMatch(/^Root cause: Orders DB/);
    expect(text).toMatch(/\nI could not diagnose topology 99: There is no topology 99\.$/);
  });

  it('follows each that is still running', () => {
    const ended = new Set<string>();
    const { text } = diagnosed('diagnose shop and blog', (tool, args) => {
      const told = tellWorld(USUAL)(tool, args) as JsonObject;
      if (tool === 'start_diagnosis' && args['topology_id'] === 11)
        return { run_id: id(1), status: 'running', last_sequence: 9 };
      if (tool !== 'follow_diagnosis') return told;
      ended.add(args['run_id'] as string);
      return { run_id: id(1), status: 'running', last_sequence: 12 };
    });
    expect([...ended]).toEqual([id(1)]);
    expect(text).toMatch(
      /^The diagnosis is still going on: run .*1 of topology 11\. .*\nNothing was/,
    );
  });
});
