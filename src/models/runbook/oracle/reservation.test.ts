import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../lib/json.js';
import {
  BROKEN,
  OWN,
  WELL,
  ask,
  tell,
} from '../../../../test/support/incidents/oracle-questions.js';

/** As `tell`, but of two nodes it was only measured that they answer. */
function tellReached(tool: string, args: JsonObject): Json {
  const told = tell(tool, args);
  if (tool !== 'get_run') return told;
  const run = told as JsonObject;
  const [node, report] = run['topology_id'] === 7 ? ['catalog', BROKEN] : ['press', WELL];
  const nodes = [{ node, state: 'healthy', reached_only: true }];
  return { ...run, report: { ...report, nodes } };
}

const said = (question: string) => ask(question, { answer: tellReached }).text;
const OF_PRESS = 'Of Press it was only measured that it answers, not that it works.';

describe('a node that was only found to answer', () => {
  it.each([
    'is the blog ok?',
    'what is wrong with the blog?',
    'how sure are you about the blog?',
    'are you sure the blog is healthy?',
    'why is the blog healthy?',
    'what was checked in the blog?',
  ])('is named with that in an answer about its topology: %s', (question) => {
    const { length } = said(question).split(OF_PRESS);
    expect(length).toBe(2);
    expect(said(question)).not.toContain('Nothing was left unchecked');
  });

  it.each(['is press ok?', 'what is wrong with press?', 'could it be the press?'])(
    'is described so in an answer about itself: %s',
    (question) =>
      expect(said(question)).toMatch(
        /^(?:(?:I cannot tell\.\n)?Nothing was|Yes, at [^\n]* nothing was) found to be wrong with Press\.[ \n]It was only measured that it answers, not that it works\.\n/,
      ),
  );

  it.each([
    ['ok', true],
    ['failed', false],
  ])('is described so if it is measured now, and is well: %s', (status, isSaid) => {
    const nodes = OWN.nodes.map((each) => ({
      ...each,
      ...(each.kind === 'tcp' && { reachedOnly: true as const }),
    }));
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'http_probe'
        ? { status, summary: 'it accepts connections', measurements: {}, issues: [] }
        : tell(tool, args);
    const { text } = ask('is everything ok?', { topology: { ...OWN, nodes }, answer });
    expect(text).toMatch(
      /^(?:Yes|No)\..*\nMeasured at .*\nMeasured just now:\n- Storefront: it accepts connections\n/,
    );
    expect(text.includes('Of Orders database it was only measured that it answers')).toBe(isSaid);
  });

  it('is not ruled out as a cause', () => {
    const text = said('what did you rule out in the shop?');
    expect(text).not.toContain('Ruled out');
    expect(text).toContain('Of Catalog it was only measured that it answers');
  });
});
