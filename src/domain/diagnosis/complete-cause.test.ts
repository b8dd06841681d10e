import { describe, expect, it } from '@jest/globals';
import {
  ALL_WELL,
  finding,
  issue,
  measured,
  SHOP,
} from '../../../test/support/incidents/measured-shop.js';
import { PromptFiles } from '../../prompts/prompt-files.js';
import { completeCause } from './complete-cause.js';
import { concludeRun } from './conclude-run.js';
import type { Measurement } from './measurement.js';
import type { Mention } from './tool-result.js';

const conclude = (...measurements: Measurement[]) => concludeRun(SHOP, measurements, []).report;

describe('a root cause whose answer names a dependency', () => {
  const failure = 'connection to "127.0.0.1", port 55432 failed: remaining connection slots';
  const mentions = [{ node: 'db', endpoint: '127.0.0.1:55432', failure }];
  const blaming = measured(5, 'api', [issue({ detail: failure })], { mentions });

  it('quotes what it says, and is as certain as without', () => {
    const [plain] = conclude(measured(5, 'api', [issue()]), measured(6, 'db')).root_causes;
    const { root_causes: causes, headline } = conclude(blaming, measured(6, 'db'));
    expect(headline).toContain('API reports that DB has no free connections');
    expect(causes[0]?.not_excluded?.[0]?.reason).toMatch(
      /no free connections; it was only measured/,
    );
    expect(causes[0]?.confidence).toBe(plain?.confidence);
  });

  it('does not repeat what another node says', () => {
    const nodes = SHOP.nodes.map((each) =>
      each.id === 'web' ? { ...each, dependsOn: ['api', 'db'] } : each,
    );
    const all = [measured(4, 'web', [issue()], { mentions }), measured(5, 'api', [issue()])];
    const { report } = concludeRun({ ...SHOP, nodes }, [...all, measured(6, 'db')], []);
    expect(report.root_causes).toMatchObject([{ node: 'api' }]);
    expect(report.root_causes[0]?.title).not.toContain('reports that');
  });

  it('does not repeat it of a dependency that was measured well', () => {
    const db = measured(6, 'db', [], { measures: 'service' });
    expect(conclude(blaming, db).headline).not.toContain('reports that');
  });
});

it('cannot use a dependency that it reports broken and the diagnosis measured well', () => {
  const failure = 'cache DOWN at 127.0.0.1:55432';
  const blaming = measured(5, 'api', [issue()], {
    mentions: [{ node: 'db', endpoint: '127.0.0.1:55432', failure }],
  });
  const db = measured(6, 'db', [], { measures: 'service' });
  const [cause] = conclude(measured(4, 'web'), blaming, db).root_causes;
  const [plain] = conclude(measured(4, 'web'), measured(5, 'api', [issue()]), db).root_causes;
  const reason =
    'API reports that DB fails, and the diagnosis measured it as healthy: check network, credentials and configuration between them';
  expect(cause?.not_excluded).toEqual([{ node: 'db', reason }]);
  expect(cause?.confidence).toBe(plain?.confidence);
});

describe('a root cause over a dependency that is unhealthy', () => {
  const slow = issue({ severity: 'warning', symptom: 'slow', title: 'answers in 1200 ms' });
  const withWeb = (web: ReturnType<typeof issue>) =>
    conclude(measured(4, 'web', [web]), measured(5, 'api', [slow]))
      .root_causes.find(({ node }) => node === 'web')
      ?.not_excluded?.map(({ node, reason }) => [node, reason]);

  it('names it, since it may have a part in the failure', () => {
    expect(withWeb(issue({ symptom: 'unreachable', title: 'connection refused' }))).toContainEqual([
      'api',
      'it is also unhealthy, but that does not explain this failure',
    ]);
  });

  it('is less certain for it, as for one of which only the transport was measured', () => {
    const api = (...found: ReturnType<typeof issue>[]) =>
      measured(5, 'api', found, { tries: 3, summary: 'looked' });
    const db = measured(6, 'db', [], { measures: 'service' });
    const web = measured(4, 'web', [issue({ symptom: 'unreachable', title: 'refused' })]);
    const causeWith = (each: Measurement) =>
      conclude(web, each, db).root_causes.find(({ node }) => node === 'web');
    expect(causeWith(api())?.confidence).toBe(0.85);
    expect(causeWith(api(slow))).toMatchObject({
      confidence: 0.73,
      basis: expect.arrayContaining(['one of its dependencies is also unhealthy']) as unknown,
    });
  });

  it('does not name it for what is its own', () => {
    const own = issue({ symptom: 'invalid', kind: 'certificate-expired', title: 'expired' });
    expect(withWeb(own)?.map(([node]) => node)).not.toContain('api');
    const path = issue({ kind: 'wrong-address', title: 'answers 404 Not Found' });
    expect(withWeb(path)?.map(([node]) => node)).not.toContain('api');
  });
});

describe('a gateway before dependencies that are well', () => {
  const nodes = SHOP.nodes.map((each) =>
    each.id === 'web' ? { ...each, dependsOn: ['api', 'db'] } : each,
  );
  const titleWith = (mentions: Mention[]) =>
    concludeRun(
      { ...SHOP, nodes },
      [
        measured(4, 'web', [issue({ title: 'answers 502 Bad Gateway', http_status: 502 })], {
          mentions,
        }),
        measured(5, 'api'),
        measured(6, 'db', [], { measures: 'service' }),
      ],
      [],
    ).report.root_causes[0]?.title;

  it('cannot reach the one that its answer names by host and port', () => {
    const mention = { node: 'db', endpoint: '127.0.0.1:55432', failure: 'cannot reach it' };
    expect(titleWith([mention])).toContain('; cannot reach DB, which is healthy: check');
  });

  it('may fail by one of them that was only reached', () => {
    const all = [
      measured(4, 'web', [issue({ title: 'answers 502 Bad Gateway', http_status: 502 })]),
      measured(5, 'api'),
      measured(6, 'db'),
    ];
    const { report } = concludeRun({ ...SHOP, nodes }, all, []);
    expect(report.root_causes[0]?.kind).not.toBe('wrong-address');
  });

  it('cannot reach one of them if its answer names none', () => {
    expect(titleWith([])).toContain('; cannot reach API or DB, which are healthy: check');
  });
});

describe('a root cause without access', () => {
  const refused = issue({ title: 'answers 502 Bad Gateway', detail: 'It said: DB answered 401' });
  const strict = issue({
    severity: 'info',
    symptom: 'advisory',
    kind: 'auth',
    title: 'answers 401 Unauthorized to a probe without credentials',
  });

  it('names the dependency that demands credentials', () => {
    const db = measured(6, 'db', [strict], { tool: 'http_probe', partial: true });
    const { root_causes: causes } = conclude(measured(5, 'api', [refused]), db);
    expect(causes).toMatchObject([{ node: 'api', kind: 'auth' }]);
    expect(causes[0]?.title).toMatch(/DB can be reached and demands credentials.* API sends$/);
  });

  describe('that says no more than a status', () => {
    const saying = (said: string) => measured(5, 'api', [issue({ detail: `It said: "${said}".` })]);
    const db = measured(6, 'db', [strict], { tool: 'http_probe', partial: true });
    const concluded = (said: string, below: Measurement) =>
      concludeRun(SHOP, [measured(4, 'web'), saying(said), below], [], {
        nextSteps: new PromptFiles().prompts.nextSteps,
      }).report;

    it('is taken for a refused credential if a dependency was measured to demand one', () => {
      const { root_causes: causes, next_steps: steps, findings } = concluded('stock: 401', db);
      expect(causes).toMatchObject([{ node: 'api', kind: 'auth' }]);
      expect(steps[0]?.text).toContain('check which one API sends there');
      expect(causes[0]?.confidence).toBe(concluded('stock: 500', db).root_causes[0]?.confidence);
      expect(findings.filter(({ node }) => node === 'db')).toMatchObject([{ severity: 'info' }]);
    });

    it.each([
      ['stock: 401', measured(6, 'db')],
      ['stock: 500', db],
      ['took 401 ms', db],
      ['order 1401', db],
    ])('is not otherwise: %s', (said, below) => {
      expect(concluded(said, below).root_causes).toMatchObject([{ kind: 'exception' }]);
    });
  });

  it('names none that demands no credentials', () => {
    const [cause] = conclude(measured(5, 'api', [refused]), measured(6, 'db')).root_causes;
    expect(cause?.title).not.toContain('credentials');
    const refusing = { ...finding('db', 'refuses all', [6], 'warning'), kind: 'auth' as const };
    const lacking = { node: 'api', kind: 'auth' as const, title: 'API: answers 401' };
    const unhealthy = { ...lacking, confidence: 0.8, evidence: [5] };
    const known = { nodes: SHOP.nodes, measured: [refusing], hints: [], measurements: [] };
    expect(completeCause(unhealthy, { ...known, well: new Set() }).title).toBe('API: answers 401');
  });
});

describe('a root cause that fails now and then', () => {
  const some = issue({ title: 'answers 500', intermittent: true });
  const flapping = measured(4, 'web', [some], { tries: 10 });

  it('does not exclude a dependency that was tried less often', () => {
    const api = (tries: number) => measured(5, 'api', [], { tries });
    const [cause] = conclude(flapping, api(3), measured(6, 'db')).root_causes;
    const [sure] = conclude(flapping, api(10), measured(6, 'db')).root_causes;
    expect(cause?.confidence).toBeCloseTo((sure?.confidence ?? 0) - 0.12);
    const reason = 'it answered 3 tries: a failure now and then may not have shown';
    expect(cause?.not_excluded).toContainEqual({ node: 'api', reason });
    expect(cause?.basis).toContain('something that it depends on was tried less often');
  });

  it('comes after one that is more certain', () => {
    const api = measured(5, 'api', [some], { tries: 10 });
    const web = measured(4, 'web', [issue({ symptom: 'invalid', title: 'expired' })]);
    const db = measured(6, 'db', [], { measures: 'service' });
    const { root_causes: causes } = conclude(web, api, db);
    expect(causes.map(({ node, confidence }) => [node, confidence])).toEqual([
      ['web', 0.85],
      ['api', 0.73],
    ]);
  });

  it('excludes one that was tried as often', () => {
    const api = measured(5, 'api', [], { tries: 10 });
    const [cause] = conclude(flapping, api, measured(6, 'db')).root_causes;
    expect(cause?.not_excluded?.map(({ node }) => node)).toEqual(['db']);
  });

  it('excludes one that was tried less often if something else of it fails each time', () => {
    const always = measured(7, 'web', [issue({ title: 'answers 503' })], { subject: '/b' });
    const all = [flapping, always, measured(5, 'api', [], { tries: 3 }), measured(6, 'db')];
    const [cause] = conclude(...all).root_causes;
    expect(cause?.not_excluded?.map(({ node }) => node)).toEqual(['db']);
  });
});

it('names the nodes that were measured in part if nothing is wrong', () => {
  expect(conclude(...ALL_WELL).headline).toBe(
    'Healthy: all 3 nodes were measured, and nothing is wrong with them. Of DB it was only measured that it answers, not that it works.',
  );
  const db = measured(6, 'db', [], { measures: 'service' });
  expect(conclude(...ALL_WELL.slice(0, 2), db).headline).toMatch(/nothing is wrong with them\.$/);
});
