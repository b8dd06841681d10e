import { describe, expect, test } from '@jest/globals';
import { findingsOf, measuredBy } from './findings-of.js';

const refused = (tool: string, expected: string) =>
  measuredBy(tool, tool, {
    issues: [
      {
        severity: 'critical',
        symptom: 'unreachable',
        title: 'connection refused',
        detail: `3 of 3 tries failed: connection refused. Expected ${expected}.`,
      },
    ],
  });

test('two tools that measure the same fault make one finding, which repeats no sentence', () => {
  const both = [refused('tcp_probe', 'a connection'), refused('http_probe', 'status 200-399')];
  expect(findingsOf('web', both)).toMatchObject([
    {
      detail:
        '3 of 3 tries failed: connection refused. Expected status 200-399. Expected a connection.',
      evidence: ['tcp_probe', 'http_probe'],
    },
  ]);
});

test('the details of two tools are sentences of their own, also without an end', () => {
  const of = (tool: string, detail: string) =>
    measuredBy(tool, tool, {
      issues: [
        { severity: 'critical', symptom: 'unreachable', title: 'connection refused', detail },
      ],
    });
  expect(findingsOf('web', [of('a', 'no process'), of('b', 'Expected one')])).toMatchObject([
    { detail: 'no process. Expected one.' },
  ]);
});

const seen = (tool: string, symptom: string, title: string, more = {}) =>
  measuredBy(tool, tool, { issues: [{ severity: 'critical', symptom, title, ...more }] });
type Seen = ReturnType<typeof seen>;
const image = seen('kubernetes_check', 'invalid', 'container c is in ImagePullBackOff');
const expired = seen('tls_certificate', 'invalid', 'certificate of api expired on 2026-01-01', {
  kind: 'certificate-expired',
});
const password = seen('postgres_inspect', 'invalid', 'refuses the credentials (28P01)', {
  kind: 'auth',
});

test('two tools that end in another order make the same finding', () => {
  const both = [refused('tcp_probe', 'a connection'), refused('http_probe', 'status 200-399')];
  const there = findingsOf('web', both);
  const back = findingsOf('web', both.toReversed());
  expect(back).toEqual(
    there.map((finding) => ({ ...finding, evidence: ['http_probe', 'tcp_probe'] })),
  );
});

describe('the order of two results changes neither their findings nor the kinds of these', () => {
  test.each<[string, Seen, Seen, string[]]>([
    ['an image and a certificate', image, expired, ['certificate-expired', 'config']],
    ['a password and a certificate', password, expired, ['auth', 'certificate-expired']],
    ['two vague ones', image, seen('mysql_inspect', 'invalid', 'is odd'), ['config', 'config']],
    [
      'two tools that see the certificate',
      expired,
      seen('http_probe', 'invalid', 'an expired certificate', { kind: 'certificate-expired' }),
      ['certificate-expired'],
    ],
    [
      'two that get no name',
      seen('dns_lookup', 'nameless', 'no such host', { kind: 'dns' }),
      seen('http_probe', 'nameless', 'host name does not resolve (ENOTFOUND)'),
      ['dns'],
    ],
    [
      'a crash, and a closed port',
      seen('tcp_probe', 'unreachable', 'connection refused (ECONNREFUSED)'),
      seen('http_probe', 'unreachable', 'keeps restarting', { kind: 'crash-loop' }),
      ['crash-loop'],
    ],
    [
      'a closed port, and an image that is missing',
      seen('tcp_probe', 'unreachable', 'connection refused (ECONNREFUSED)'),
      seen('kubernetes_check', 'unreachable', 'cannot pull', { kind: 'image-pull' }),
      ['image-pull', 'unreachable'],
    ],
  ])('%s', (_, one, other, kinds) => {
    const there = findingsOf('api', [one, other]);
    const back = findingsOf('api', [other, one]);
    expect(there.map(({ kind }) => kind).toSorted()).toEqual(kinds);
    const inShort = (findings: typeof there) =>
      findings.map(({ kind, title }) => `${kind} ${title}`).toSorted();
    expect(inShort(back)).toEqual(inShort(there));
    const text = JSON.stringify(there);
    for (const { title } of [...one.issues, ...other.issues]) expect(text).toContain(title);
  });
});

test('does little more than linear work for many issues of a node, and bounds their details', () => {
  const workFor = (count: number): number => {
    let work = 0;
    const issues = Array.from({ length: count }, (_, i) => ({
      severity: 'info' as const,
      symptom: 'erroring' as const,
      detail: `Seen at ${i}.`,
      get title() {
        work += 1;
        return `part ${i} is down`;
      },
    }));
    expect(findingsOf('web', [{ tool: 'probe', evidence: 1, issues }])).toHaveLength(count);
    return work;
  };
  expect(workFor(1_000)).toBeLessThan(3 * workFor(500));
  const alike = Array.from({ length: 900 }, (_, i) =>
    seen(`tool${i}`, 'erroring', 'is down', { detail: `Seen at ${i}. ${'x'.repeat(900)}` }),
  );
  const [finding] = findingsOf('web', alike);
  expect(finding?.evidence).toHaveLength(900);
  expect(finding?.detail.length).toBeLessThan(6_000);
});

describe('a kind that only the words of the target give', () => {
  const said = (title: string, more = {}) =>
    seen('http_probe', 'erroring', title, { detail: 'It said: "no space left".', ...more });

  test('is marked', () => {
    expect(findingsOf('web', [said('answers 500')])).toMatchObject([
      { kind: 'disk-full', stated: true },
    ]);
  });

  test.each<[string, Seen[]]>([
    ['its tool gives it', [said('answers 500', { kind: 'disk-full' })]],
    [
      'another look measured the same',
      [said('answers 500'), said('answers 500', { kind: 'disk-full' })],
    ],
    ['the target states none', [seen('http_probe', 'erroring', 'answers 500')]],
  ])('is not marked if %s', (_, measured) => {
    const [finding] = findingsOf('web', measured);
    expect(finding).not.toHaveProperty('stated');
  });
});
