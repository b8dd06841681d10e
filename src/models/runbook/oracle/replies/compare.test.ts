import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BLOG,
  BROKEN,
  LINE,
  OWN,
  SHOP,
  SPOKEN,
  WELL,
  ask,
  finding,
  id,
  tell,
  tellOf,
} from '../../../../../test/support/incidents/oracle-questions.js';

describe('a comparison of runs that are named by their ids', () => {
  const runsIn = (text: string) => [...text.matchAll(/^Run (\S+) of/gm)].map(([, runId]) => runId);

  it.each([
    `compare ${id(1)} and ${id(2)}`,
    `compare run ${id(2)} with run ${id(1)}`,
    `what changed between ${id(1)} and ${id(2)}?`,
    `how do ${id(1)} and ${id(2)} differ?`,
    `how does ${id(2)} differ from ${id(1)}?`,
    `${id(2)} vs ${id(1)}`,
    `is ${id(2)} worse than ${id(1)}?`,
    `compare ${id(2)} with the previous run`,
  ])('has these two, the earlier one first: %s', (question) => {
    const { text } = ask(question);
    expect(runsIn(text)).toEqual([id(1), id(2)]);
    expect(text).toMatch(/^- .*: healthy\.\n- .*: root cause found: .*\n- New: /);
  });

  it.each([
    [`compare ${id(1)} with the latest`, [1, 3]],
    [`what changed since ${id(1)}?`, [1, 3]],
    [`compare ${id(3)} with the latest`, [2, 3]],
    [`compare ${id(1)} with topology 2`, [1, 4]],
    [`compare ${id(4)} and ${id(1)}`, [4, 1]],
  ])('or the one that the other words mean: %s', (question, [one = 0, other = 0]) =>
    expect(runsIn(ask(question).text)).toEqual([id(one), id(other)]),
  );

  it('or the one that the conversation is about', () => {
    const said = [`Nothing was found to be wrong.\n${LINE.replace(id(3), id(2))}`];
    expect(runsIn(ask(`compare it with ${id(1)}`, { said }).text)).toEqual([id(1), id(2)]);
  });

  it('says if there are none or too many', () => {
    expect(ask(`compare ${id(1)} with the previous run`).text).toMatch(
      /^No diagnosis of topology 7 completed before 2026-11-22 08:10:00 UTC: /,
    );
    expect(ask(`compare ${id(1)}, ${id(2)} and ${id(3)}`).text).toMatch(/^I compare two diagnoses/);
    const answer = (tool: string, args: JsonObject) =>
      tool === 'get_run' ? new Error('There is no diagnosis x.') : tell(tool, args);
    expect(ask(`compare ${id(1)} and ${id(9)}`, { answer }).text).toMatch(
      /There is no diagnosis x/,
    );
  });

  it.each([`what was wrong in ${id(2)}?`, `what happened in ${id(2)}?`, `problems with ${id(2)}?`])(
    'nor a question about one, takes no id for a name: %s',
    (question) => expect(ask(question).text).toMatch(/^Root cause: Payments/),
  );
});

describe('a comparison', () => {
  it('of two that found nothing, with different verdicts, does not say that they are the same', () => {
    const answer = (tool: string, args: JsonObject): Json => {
      const run = tell(tool, args) as JsonObject;
      return tool === 'get_run'
        ? {
            ...run,
            report: { ...WELL, verdict: args['run_id'] === id(3) ? 'inconclusive' : 'healthy' },
          }
        : run;
    };
    expect(ask('compare the shop with the blog', { answer }).text).not.toMatch(/the same/);
  });

  it('of two topologies shows the latest verdict of each, and what only one has', () =>
    expect(ask('compare the shop with the blog').text).toBe(
      [
        '- Shop (topology 7): root cause found: Payments: connection refused.',
        '- Blog (topology 2): healthy.',
        '- Only in Shop (topology 7): Payments: connection refused and Checkout: answers 502.',
        LINE,
        `Run ${id(4)} of topology 2 (Blog) completed at 2026-11-22 08:40:02 UTC.`,
      ].join('\n'),
    ));

  it.each([
    'compare with the blog',
    'compare it with blog',
    'compare this with the blog',
    'compare to topology 2',
    'compared with the blog?',
  ])('of the topology of a chat, or the one that it discussed, with another: %s', (question) => {
    const expected = /^- Shop \(topology 7\): .*\n- Blog \(topology 2\): /;
    expect(ask(question, { topology: OWN }).text).toMatch(expected);
    expect(ask(question, { said: SPOKEN }).text).toMatch(expected);
  });

  it.each(['which topology is worse?', 'which is worse?', 'which one is better?'])(
    'that asks which is worse and names none lists the topologies: %s',
    (question) =>
      expect(ask(question, { said: SPOKEN }).text).toMatch(
        /^The latest verdict of every topology:\n- Shop .*\n- 1 is healthy: Blog /,
      ),
  );

  it('that asks which node is worse lists the nodes', () =>
    expect(ask('which node is worse?', { said: SPOKEN }).text).not.toMatch(/the same/));

  it('of the topology of a chat with one that is named in part', () => {
    const answer = tellOf([SHOP, { ...BLOG, name: 'Company blog' }]);
    expect(ask('compare with the blog', { topology: OWN, answer }).text).toMatch(
      /^- Shop \(topology 7\): .*\n- Company blog \(topology 2\): /,
    );
  });

  it('does not take a measured value in a title for a change', () => {
    const answer = (tool: string, args: JsonObject): Json => {
      if (tool !== 'get_run') return tell(tool, args);
      const isEarlier = args['run_id'] === id(2);
      const slow = {
        ...finding('payments', `answers in ${isEarlier ? 1506 : 1508} ms`, [45]),
        kind: 'latency',
      };
      const own = isEarlier
        ? finding('catalog', 'answers 500', [46])
        : finding('web', 'down', [47]);
      const report = { ...WELL, verdict: 'issues_found', findings: [slow, own] };
      return { ...(tell(tool, args) as JsonObject), report };
    };
    const { text } = ask('compare the last two runs of the shop', { answer });
    expect(text.split('\n').slice(2, 5)).toEqual([
      '- No longer found: Catalog: answers 500.',
      '- New: Storefront: down.',
      '- In both: Payments: answers in 1508 ms.',
    ]);
  });

  it('does not take a finding for gone of a node that the later diagnosis did not check', () => {
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args) as JsonObject;
      if (tool !== 'get_run') return told;
      const isEarlier = args['run_id'] === id(2);
      const report = {
        ...BROKEN,
        root_causes: [],
        findings: isEarlier ? BROKEN.findings : [],
        unchecked: isEarlier ? [] : [{ node: 'payments', reason: 'NOT_ASKED' }],
      };
      return { ...told, report };
    };
    const { text } = ask('compare the last two runs of the shop', { answer });
    expect(text.split('\n').slice(2, -2)).toEqual([
      '- No longer found: Checkout: answers 502.',
      '- Not checked by the later diagnosis: Payments: connection refused.',
    ]);
  });

  it('does not take a finding for new that only became a root cause', () => {
    const { root_causes, findings } = BROKEN;
    const checkout = {
      node: 'checkout',
      title: 'Checkout: answers 502',
      confidence: 0.7,
      evidence: [58],
    };
    const reports: Record<string, object> = {
      [id(2)]: { ...BROKEN, root_causes },
      [id(3)]: { ...BROKEN, root_causes: [checkout], findings },
    };
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args) as JsonObject;
      const report = reports[args['run_id'] as string];
      return tool === 'get_run' && report ? ({ ...told, report } as unknown as Json) : told;
    };
    const { text } = ask('what changed?', { answer, said: SPOKEN });
    expect(text.split('\n').slice(2, -2)).toEqual([
      '- No longer a root cause: Payments: connection refused.',
      '- Now a root cause: Checkout: answers 502.',
    ]);
  });

  it.each([
    ['compare the shop today with yesterday', '2026-11-22T23:59:59.999Z'],
    ['compare the shop with yesterday', '2026-11-22T23:59:59.999Z'],
    ['is the shop worse than yesterday?', '2026-11-22T23:59:59.999Z'],
    ['what changed in the shop since yesterday?', '2026-11-22T00:00:00.000Z'],
  ])('with a day is one with its last diagnosis: %s', (question, until) => {
    const asked: JsonObject[] = [];
    const answer = (tool: string, args: JsonObject): Json => {
      if (tool === 'list_runs') asked.push(args);
      return tell(tool, args);
    };
    ask(question, { answer, now: '2026-11-23T12:00:00Z' });
    expect(asked).toContainEqual({
      topology_id: 7,
      status: 'completed',
      until,
      limit: 1,
      suspects: true,
    });
  });

  it.each([
    ['compare topology 7 and 9', /^I could not find that out: There is no topology 9\.$/],
    ['compare the shop with the blog', /^No diagnosis of topology 2 has completed yet\./],
    ['compare the last two runs of the blog', /^Topology 2 has no completed diagnosis/],
  ])('for which one is missing reads nothing that would be cited: %s', (question, said) => {
    const read: string[] = [];
    const answer = (tool: string, args: JsonObject): Json | Error => {
      const isMissing = args['topology_id'] === 9 || args['topology_id'] === 2;
      if (tool === 'list_runs' && isMissing) return { runs: [] };
      if (tool === 'get_topology' && args['topology_id'] === 9)
        return new Error('There is no topology 9.');
      const isNoSource = args['suspects'] === true || args['naming'] !== undefined;
      if (!isNoSource && args['topology_id'] !== 2) read.push(tool);
      return tell(tool, args);
    };
    expect(ask(question, { answer }).text).toMatch(said);
    expect(read).toEqual([]);
  });

  it('of two nodes says once on which root cause they depend', () => {
    const cause = { ...BROKEN.root_causes[0], node: 'orders-db', title: 'refused' };
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args) as JsonObject;
      const report = { ...BROKEN, root_causes: [cause], unchecked: [] };
      return tool === 'get_run' ? { ...told, report } : told;
    };
    const { text } = ask('compare checkout with payments', { said: SPOKEN, answer });
    expect(text).toContain(
      '\nCheckout: answers 502 (critical, event 58).\nPayments: connection refused (critical, events 45, 47).\nCheckout and Payments depend on the root cause Orders database: refused',
    );
    expect(text.match(/root cause/g)).toHaveLength(1);
  });

  it('of the topology that was discussed with another one', () =>
    expect(ask('compare it with the blog', { said: SPOKEN }).text).toMatch(/^- Shop .*\n- Blog /));

  it('of two topologies by their ids', () =>
    expect(ask('compare topology 2 and 7').text).toMatch(/^- Blog .*\n- Shop /));

  it('of the last two diagnoses of one says what is new', () => {
    expect(ask('compare the last two runs of the shop').text).toMatch(
      /^- 2026-11-22 08:20:00 UTC: root cause found.*\n- 2026-11-22 08:30:00 UTC: .*\n- Both found the same\./,
    );
    expect(ask('compare the last two runs of the blog').text).toBe(
      'Topology 2 has only one completed diagnosis: there is nothing to compare.',
    );
  });

  it('with the last healthy diagnosis of a topology says what has changed since', () => {
    expect(ask('what changed since the shop was healthy?').text).toMatch(
      /^- 2026-11-22 08:10:00 UTC: healthy\.\n- 2026-11-22 08:30:00 UTC: root cause found.*\n- New: /,
    );
    expect(ask('what changed since it was healthy?', { said: SPOKEN }).text).toMatch(
      /^- 2026-11-22 08:10:00 UTC: healthy\./,
    );
    expect(ask('what has changed since the blog was ok?').text).toMatch(
      /^The latest diagnosis of topology 2 found it healthy\.\nRun /,
    );
  });

  it('with a healthy diagnosis says if there is none', () => {
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args) as { runs?: JsonObject[] };
      if (tool !== 'list_runs') return told;
      return { runs: (told.runs ?? []).map((row) => ({ ...row, verdict: 'issues_found' })) };
    };
    expect(ask('what changed since the shop was healthy?', { answer }).text).toBe(
      'None of the last 3 diagnoses of topology 7 found it healthy: there is nothing to compare.',
    );
  });
});
