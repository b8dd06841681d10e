import fc from 'fast-check';
import { SYMPTOMS } from '../../../src/domain/diagnosis/finding.js';
import { measured } from '../incidents/measured-shop.js';

/** Generators of measurements, rankings and reports about the nodes of the measured shop. */
export const ids = ['web', 'api', 'db'];
const anyIssue = fc.record({
  severity: fc.constantFrom('critical' as const, 'warning' as const, 'info' as const),
  symptom: fc.constantFrom(...SYMPTOMS),
  title: fc.constantFrom('answers 500', 'answers in 1400 ms', 'connection refused', 'is full'),
  detail: fc.constantFrom('', 'db: connection refused', 'API timed out', 'port 55432 failed'),
  intermittent: fc.boolean(),
});
export const anyMeasurement = fc.record({
  node: fc.constantFrom(...ids),
  tool: fc.constantFrom('http_probe', 'tcp_probe', 'redis_inspect', 'log_search'),
  subject: fc.constantFrom('', '/a'),
  issues: fc.array(anyIssue, { maxLength: 2 }),
  unreliable: fc.boolean(),
  partial: fc.boolean(),
  hidden: fc.option(fc.constant('a right is missing'), { nil: undefined }),
  tries: fc.integer({ min: 1, max: 3 }),
  failedTries: fc.integer({ min: 0, max: 3 }),
  mentions: fc.array(
    fc.record({
      node: fc.constantFrom(...ids),
      endpoint: fc.constant('db'),
      failure: fc.constantFrom('connection refused', 'timed out', 'FATAL'),
    }),
    { maxLength: 2 },
  ),
  took: fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined }),
});
export const measurements = fc.array(anyMeasurement, { maxLength: 8 }).map((all) =>
  all.map(({ issues, took, hidden, ...rest }, i) =>
    measured(
      i + 10,
      rest.node,
      issues.map(({ intermittent, ...each }) => ({
        ...each,
        ...(intermittent && { intermittent }),
        ...(took !== undefined && { took_ms: took }),
      })),
      { ...rest, ...(hidden !== undefined && { hidden }) },
    ),
  ),
);
export const rankings = fc
  .array(
    fc.record({
      node: fc.constantFrom(...ids),
      score: fc.constantFrom(1, 2),
      kind: fc.constantFrom('unknown' as const, 'timeout' as const, 'config' as const),
      confidence: fc.constantFrom(0.4, 0.7, 0.95),
      change: fc.option(fc.constant('abc'), { nil: undefined }),
      title: fc.constant('errors rise'),
      for: fc.constant<string[]>([]),
      against: fc.constant<string[]>([]),
    }),
    { maxLength: 2 },
  )
  .map((causes) =>
    causes.length === 0
      ? []
      : [
          measured(500, 'web', [], {
            tool: 'rank_root_causes',
            ranking: { causes, rejected: [] },
          }),
        ],
  );
const anyClaim = fc.record({
  node: fc.oneof(fc.constantFrom(...ids), fc.string()),
  severity: fc.constantFrom('critical' as const, 'warning' as const, 'info' as const),
  title: fc.oneof(fc.constantFrom('answers 500', 'all is well'), fc.string()),
  detail: fc.string(),
  evidence: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
  symptom: fc.constantFrom(...SYMPTOMS),
});
export const reports = fc.array(
  fc.record({
    agentId: fc.constantFrom('1', '2', '3', '4', '5'),
    dispatchId: fc.constantFrom('d1', 'd1_1', 'd1_2', 'd1_10', 'd2_1'),
    status: fc.constantFrom('ok' as const, 'partial' as const, 'failed' as const, null),
    reasons: fc.array(fc.constantFrom('LIMIT_REACHED', 'TOOL_FAILED')),
    summary: fc.string(),
    findings: fc.array(anyClaim, { maxLength: 4 }),
    dismissed: fc.array(
      fc.record({ sequence: fc.integer({ min: 1, max: 20 }), reason: fc.string() }),
    ),
  }),
  { maxLength: 5 },
);
