import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  OWN,
  RUNS,
  SPOKEN,
  WELL,
  ask,
  finding,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

describe('what is broken right now', () => {
  it('lists the broken topologies, and counts the healthy ones', () => {
    const { text, called } = ask('What is broken right now?');
    expect(called).toEqual(['list_topologies', 'list_runs', 'get_run']);
    expect(text).toBe(
      [
        'The latest verdict of every topology:',
        `- Shop (topology 7): root cause found: Payments: connection refused. Diagnosed at 2026-11-22 08:30:02 UTC, run ${id(3)}.`,
        '- 1 is healthy: Blog (topology 2).',
        'For what is now, ask me to "diagnose topology N".',
      ].join('\n'),
    );
  });

  it.each(['what is wrong?', 'are there problems?', 'show me the errors'])(
    'is the answer to "%s", if no topology was named or discussed',
    (question) => {
      expect(ask(question).text).toMatch(
        /^(?:Yes\.\n)?The latest verdict of every topology:\n- Shop/,
      );
      expect(ask(question, { said: SPOKEN }).text).not.toMatch(/^The latest verdict/);
    },
  );

  it.each(['what is on fire?', 'which topologies are not healthy?', 'who is to blame?'])(
    'is the answer to "%s"',
    (question) =>
      expect(ask(question).text).toMatch(/^The latest verdict of every topology:\n- Shop/),
  );

  it.each(['which topologies are healthy?', 'what is healthy?', 'list the healthy systems'])(
    'is counted if the healthy ones are asked for: %s',
    (question) =>
      expect(ask(question).text).toMatch(
        /^The latest verdict of every topology:\n- Blog \(topology 2\): healthy\. .*\n- 1 is not found to be healthy: Shop \(topology 7\)\.\n/,
      ),
  );

  it('lists all topologies with their verdicts if none is broken', () => {
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_run' ? { ...(tell(tool, args) as JsonObject), report: WELL } : tell(tool, args);
    expect(ask('is everything ok?', { answer }).text).toMatch(
      /^Yes\.\nThe latest verdict of every topology:\n- Shop \(topology 7\): healthy\. .*\n- Blog \(topology 2\): healthy\. /,
    );
  });

  it('says which topologies were not diagnosed yet', () => {
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'list_runs' && args['topology_id'] === 2 ? { runs: [] } : tell(tool, args);
    expect(ask("what's broken?", { answer }).text).toContain(
      '- 1 is not diagnosed yet: Blog (topology 2).',
    );
  });

  it('is measured in a chat about one topology', () =>
    expect(ask('what is broken right now?', { topology: OWN }).text).toMatch(
      /^Found wrong: Storefront \(nothing answers\)[^\n]* and 2 more\.\nMeasured just now:/,
    ));

  it.each(['whats broken', 'what is broken?', 'anything wrong?', 'any problems?', 'any errors?'])(
    'is measured there also without "right now": %s',
    (question) =>
      expect(ask(question, { topology: OWN, said: SPOKEN }).text).toContain(
        '\nMeasured just now:\n- Storefront: nothing answers\n',
      ),
  );
});

describe('short answers', () => {
  test.each([
    ['when was the last diagnosis?', /^The last diagnosis:\n- 2026-11-22 08:40:00 UTC, topology 2/],
    ['what is topology 7?', /^Topology 7 \(Shop\) has 5 nodes:/],
    ['was payments broken before?', /^Yes\.\nPayments was healthy at /],
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
    ...(/Without a language model.*?What a question is about/s.exec(docs)?.[0] ?? '').matchAll(
      /"([^"]+)"/g,
    ),
  ].map(([, example = '']) => example);
  it('the documentation has examples', () => expect(examples.length).toBeGreaterThan(10));
  test.each(examples)('the example of the documentation is understood: %s', (example) => {
    const { text, called } = ask(example.replace(/\s+/g, ' ').replaceAll('RUN_ID', id(2)), {
      said: SPOKEN,
    });
    expect(text).not.toMatch(/do not understand|I know no|[Ww]hich topology|could not find/);
    expect(called).not.toEqual([]);
  });
});
