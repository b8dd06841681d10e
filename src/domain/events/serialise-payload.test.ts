import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { nastyJson, nastyText } from '../../../test/support/incidents/drafts.js';
import type { DraftEvent } from './event.js';
import type { Finding } from '../diagnosis/finding.js';
import { EVENT_MAX_BYTES, readyEvent } from './frame.js';
import type { Json, JsonObject } from '../../lib/json.js';
import { cutText, serialisePayload, utf8Length } from './serialise-payload.js';
import { concludeRun } from '../diagnosis/conclude-run.js';
import { countFindings } from '../diagnosis/verdict.js';
import { anyText } from '../../../test/support/generators/any-text.js';

const schema = JSON.parse(
  readFileSync(
    new URL('../../../test/contract/executor-event.schema.json', import.meta.url),
    'utf8',
  ),
) as JsonObject;
const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
ajv.addSchema({ ...schema, $id: 'contract' });
const isValid = (name: string, data: object) =>
  ajv.validate({ $ref: `contract#/$defs/data/${name}` }, data);

const big = 'Größe 😀 '.repeat(60_000);
const many = <T>(length: number, make: (i: number) => T) =>
  Array.from({ length }, (_, i) => make(i));
const finding = (i: number): Finding => ({
  node: `node-${i}`,
  severity: i % 3 === 0 ? 'critical' : i % 3 === 1 ? 'warning' : 'info',
  title: `Finding ${i}`,
  detail: 'y'.repeat(400),
  evidence: many(30, (n) => n + 1),
});
const turn = { dispatch_id: 'd1', turn: 1, attempt: 1 };
const result = (value: Json) => ({
  ...turn,
  tool: 'http_probe',
  result: value,
  tool_call_id: 't1',
  status: 'ok',
  duration_ms: 1,
  truncated: false,
});
const nested = (depth: number): Json =>
  depth === 0
    ? 'z'.repeat(200)
    : { a: nested(depth - 1), b: nested(depth - 1), c: [nested(depth - 1)] };
const report = (() => {
  const findings = many(3_000, finding);
  return {
    verdict: 'issues_found',
    root_causes: [],
    findings,
    unchecked: many(500, (i) => ({ node: `n${i}`, reason: big.slice(0, 500) })),
    counts: countFindings(findings),
  };
})();

const LARGE: [DraftEvent['name'], object][] = [
  [
    'lifecycle.started',
    { kind: 'diagnosis', topology_id: 1, topology_name: 'T', user_message: big },
  ],
  ['lifecycle.failed', { error: 'x', code: 'LOG_LIMIT', retryable: false, report }],
  ['lifecycle.cancelled', { reason: 'x', report }],
  ['llm.tool_call', { ...turn, tool: 'x', args: { deep: nested(9) }, tool_call_id: 't1' }],
  ['llm.tool_result', result(big)],
  ['llm.tool_result', result({ body: big, headers: { a: 'b' } })],
  ['llm.tool_result', result(many(100_000, (i) => i))],
  ['llm.tool_result', result(nested(9))],
  ['llm.tool_result', result({ [big]: 1 })],
  ['llm.tool_result', result(Object.fromEntries(many(50_000, (i) => [`key-${i}`, i])))],
  ['dispatch.worker', { worker_name: 'w', task: big, dispatch_id: 'd1', agent_id: '7' }],
  [
    'dispatch.report',
    { dispatch_id: 'd1', status: 'ok', reasons: [], summary: big, findings: many(3_000, finding) },
  ],
  [
    'system.error',
    { message: 'x', code: 'X', ...Object.fromEntries(many(50_000, (i) => [`key-${i}`, i])) },
  ],
  ['system.warning', { message: big, code: 'LIMIT_WARNING', details: nested(9) }],
];

describe('serialisePayload', () => {
  it.each(LARGE)('cuts a large %s to what it may take, and leaves its shape', (name, data) => {
    for (const most of [EVENT_MAX_BYTES, 65_536]) {
      const text = serialisePayload(data, most);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
      const cut = JSON.parse(text) as JsonObject;
      expect(cut['truncated']).toBe(true);
      expect(isValid(name, cut)).toBe(true);
      const told = cut['report'] as unknown as typeof report | undefined;
      if (told) expect(told.counts).toEqual(countFindings(told.findings));
      expect(text).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  it('cuts as little as needed', () => {
    const cut = JSON.parse(
      serialisePayload(
        result({ body: 'x'.repeat(1e6), status: 200, list: [1, 2] }),
        EVENT_MAX_BYTES,
      ),
    ) as {
      result: JsonObject;
    };
    expect((cut.result['body'] as string).length).toBeGreaterThan(EVENT_MAX_BYTES * 0.9);
    expect(cut.result).toMatchObject({ status: 200, list: [1, 2] });
  });

  it('returns JSON.stringify of a payload that fits', () => {
    fc.assert(
      fc.property(fc.dictionary(nastyText, nastyJson), (data) => {
        expect(serialisePayload(data, EVENT_MAX_BYTES)).toBe(JSON.stringify(data));
      }),
    );
  });

  it('keeps any payload within its bounds', () => {
    const blow = (json: Json, times: number): Json =>
      typeof json === 'string'
        ? json.repeat(times)
        : Array.isArray(json)
          ? many(times, (i) => json[i % Math.max(json.length, 1)] ?? null)
          : json;
    const huge = fc
      .tuple(nastyJson, fc.integer({ min: 1, max: 20_000 }))
      .map(([json, times]) => blow(json, times));
    fc.assert(
      fc.property(fc.dictionary(nastyText, huge, { maxKeys: 5 }), (data) => {
        const text = serialisePayload(data, 65_536);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
        expect(() => JSON.parse(text) as unknown).not.toThrow();
      }),
      { numRuns: 20 },
    );
  });

  it('keeps the frame within EVENT_MAX_BYTES after the append', () => {
    const source = {
      agent_id: '1',
      agent_type: 'worker',
      agent_name: 'ä'.repeat(200),
      team_name: 'T',
    } as const;
    const draft = {
      name: 'lifecycle.completed',
      source,
      data: { summary: big, report: null, partial: false, reasons: [] },
    } as DraftEvent;
    const { tail } = readyEvent(draft, 65_536);
    const added =
      'event: lifecycle.completed\nid: 50000\ndata: {"run_id":"","timestamp":"","sequence":50000\n\n'
        .length +
      36 +
      24 +
      120;
    expect(Buffer.byteLength(tail) + added).toBeLessThanOrEqual(65_536);
    expect(tail).toMatch(/"data":\{"truncated":true,"summary":.*,"usage":\0\}\}$/);
  });
});

describe('cutText', () => {
  it('cuts between code points', () => {
    expect([cutText('a😀b', 2), cutText('a😀b', 3), cutText('a😀b', 4), cutText('ab', 2)]).toEqual([
      'a…',
      'a😀…',
      'a😀b',
      'ab',
    ]);
  });
});

describe('utf8Length', () => {
  it('equals Buffer.byteLength', () => {
    fc.assert(
      fc.property(anyText(), (text) => expect(utf8Length(text)).toBe(Buffer.byteLength(text))),
    );
    expect(utf8Length('\ud800x\udc00')).toBe(7);
  });
});

describe('the report of a system of 1,000 dead nodes', () => {
  const nodes = many(1_000, (i) => ({
    id: `n${i}`,
    name: `The n${i}`,
    kind: 'service' as const,
    attributes: {},
    dependsOn: i < 999 ? [`n${i + 1}`] : [],
  }));
  const measurements = nodes.map(({ id }, i) => ({
    sequence: i + 10,
    at: '2026-01-01T00:00:00.000Z',
    tool: 'http_probe',
    node: id,
    measures: 'service' as const,
    subject: '',
    tries: 3,
    partial: false,
    unreliable: false,
    status: 'failed' as const,
    summary: 'The connection was refused.',
    issues: [
      {
        severity: 'critical' as const,
        symptom: 'unreachable' as const,
        title: 'the connection was refused',
        detail: 'connect ECONNREFUSED 127.0.0.1:1',
      },
    ],
  }));
  const whole = concludeRun({ nodes, teams: [] }, measurements, []).report;

  it('keeps the state of every node, and the root cause with its evidence, when it is cut', () => {
    const data = { summary: 's', report: whole, partial: false, reasons: [] };
    const text = serialisePayload(data, EVENT_MAX_BYTES);
    expect(utf8Length(text)).toBeLessThanOrEqual(EVENT_MAX_BYTES);
    const { report: cut, truncated } = JSON.parse(text) as typeof data & { truncated: boolean };
    expect(truncated).toBe(true);
    expect(cut.nodes).toEqual(whole.nodes);
    expect(cut.root_causes.map(({ node }) => node)).toEqual(['n999']);
    const cited = new Set(cut.citations.map(({ sequence }) => sequence));
    const needed = [...cut.root_causes, ...cut.findings].flatMap(({ evidence }) => evidence);
    expect(needed.every((sequence) => cited.has(sequence))).toBe(true);
    expect(cut.findings.length).toBeGreaterThan(400);
    expect(cut.findings.map(({ node }) => node)).toContain('n999');
    expect(cut.counts).toEqual(countFindings(cut.findings));
  });
});
