import { expect } from '@jest/globals';
import type { Brief } from '../../../src/domain/prompt/brief.js';
import { RefusedError } from '../../../src/domain/errors.js';
import { namesIn, namesLike, nodesIn } from '../../../src/domain/topology/names-in-text.js';
import type { Json, JsonObject } from '../../../src/lib/json.js';
import type { ToolAnswer } from '../../../src/models/runbook/plan.js';
import { planOracle } from '../../../src/models/runbook/oracle/plan-oracle.js';
import type { Remark } from '../../../src/models/runbook/oracle/reading/question.js';

type OracleBrief = Extract<Brief, { role: 'oracle' }>;

/** A topology with a dead service, three levels deep. */
export const SHOP = {
  id: 7,
  name: 'Shop',
  nodes: [
    { id: 'web', name: 'Storefront', kind: 'service', dependsOn: ['checkout', 'catalog'] },
    { id: 'checkout', name: 'Checkout', kind: 'service', dependsOn: ['payments'] },
    { id: 'catalog', name: 'Catalog', kind: 'service', dependsOn: [] },
    { id: 'payments', name: 'Payments', kind: 'service', dependsOn: ['orders-db'] },
    { id: 'orders-db', name: 'Orders database', kind: 'tcp', dependsOn: [] },
  ],
};
/** A topology of one healthy node. */
export const BLOG = {
  id: 2,
  name: 'Blog',
  nodes: [{ id: 'press', name: 'Press', kind: 'service', dependsOn: [] }],
};

/** The id of a run. */
export const id = (n: number) => `01900000-0000-7000-8000-00000000000${n}`;
/** A critical finding. */
export const finding = (node: string, title: string, evidence: number[]) => ({
  node,
  severity: 'critical',
  title,
  detail: '',
  evidence,
});
const DOWN = finding('payments', 'connection refused', [45, 47]);
/** A report with a root cause. */
export const BROKEN = {
  verdict: 'root_cause_found',
  root_causes: [
    {
      node: 'payments',
      title: 'Payments: connection refused',
      confidence: 0.93,
      evidence: [45, 47],
    },
  ],
  findings: [DOWN, finding('checkout', 'answers 502', [58])],
  unchecked: [{ node: 'orders-db', reason: 'it timed out' }],
  counts: { critical: 2, warning: 0, info: 0 },
};
/** A report without findings. */
export const WELL = {
  verdict: 'healthy',
  root_causes: [],
  findings: [],
  unchecked: [],
  counts: { critical: 0, warning: 0, info: 0 },
};

/** A completed run that began at a minute after 08:00 of 2026-11-22. */
export const run = (
  n: number,
  minute: string,
  report: object,
  of: { id: number; name: string } = SHOP,
) => ({
  run_id: id(n),
  status: 'completed',
  topology_id: of.id,
  topology_name: of.name,
  user_message: 'why?',
  created_at: `2026-11-22T08:${minute}:00.000Z`,
  ended_at: `2026-11-22T08:${minute}:02.500Z`,
  last_sequence: 60,
  summary: 'The summary.',
  report,
});
/** What the runs measured at two of the nodes. */
const MEASURED = [
  { sequence: 12, node: 'catalog', tool: 'http_probe', summary: 'answers 200' },
  { sequence: 58, node: 'checkout', tool: 'http_probe', summary: 'answers 502' },
];
/** Four runs, newest first. */
export const RUNS = [
  run(4, '40', WELL, BLOG),
  run(3, '30', BROKEN),
  run(2, '20', BROKEN),
  run(1, '10', WELL),
];

/**
 * The topologies that the arguments `naming` and `similar` leave, with the names that they mean.
 */
export const those = (args: JsonObject, all: (typeof SHOP)[]) =>
  all.flatMap((each) => {
    const row = { id: each.id, name: each.name, nodes: each.nodes.length };
    const { naming, similar } = args;
    if (typeof naming !== 'string' && typeof similar !== 'string') return [row];
    const named = [
      ...(typeof naming === 'string' ? namesIn(naming, each) : []),
      ...(typeof similar === 'string' ? namesLike(similar, each) : []),
    ];
    return named.length > 0 ? [{ ...row, named }] : args['others'] === true ? [row] : [];
  });

const rowOf = ({ report, ...row }: (typeof RUNS)[number]): Json => ({
  ...row,
  verdict: (report as { verdict: string }).verdict,
});

/** What the oracle's tools would say, of two topologies and four diagnoses. */
export function tell(tool: string, args: JsonObject): Json {
  switch (tool) {
    case 'list_topologies':
      return {
        topologies: those(args, [SHOP, BLOG]),
        more: false,
      };
    case 'get_topology':
      return args['topology_id'] === 7 ? SHOP : BLOG;
    case 'list_runs': {
      const rows = RUNS.filter(
        ({ topology_id, created_at }) =>
          (args['topology_id'] === undefined || args['topology_id'] === topology_id) &&
          (args['since'] === undefined || created_at >= (args['since'] as string)) &&
          (args['until'] === undefined || created_at <= (args['until'] as string)),
      );
      if (args['count'] === true) return { count: rows.length };
      if (args['oldest_first'] === true) rows.reverse();
      return { runs: rows.slice(0, Number(args['limit'])).map(rowOf) };
    }
    case 'get_run': {
      const found = RUNS.find(({ run_id }) => run_id === args['run_id']) as (typeof RUNS)[number];
      const shape = found.topology_id === 7 ? SHOP : BLOG;
      const about = nodesIn((args['about'] as string | undefined) ?? '', shape);
      const measurements = MEASURED.filter(({ node }) => about.some(({ id: its }) => its === node));
      return { ...found, ...(measurements.length > 0 && { measurements }) } as unknown as Json;
    }
    case 'start_diagnosis':
      return RUNS[1] as unknown as Json;
    case 'read_log': {
      const sequence = Number(args['after'] ?? 0) + 1;
      return {
        run_id: args['run_id'] ?? '',
        events: [{ sequence, timestamp: '', excerpt: `line ${sequence}` }],
        next_after: null,
      };
    }
    case 'navigate_to_page':
      return { action: 'navigate', page: args['page'] ?? '' };
    default:
      return { status: 'failed', summary: 'nothing answers', measurements: {}, issues: [] };
  }
}

/** As `tell`, but the latest diagnosis of every topology has a root cause. */
export function tellAllBroken(tool: string, args: JsonObject): Json {
  const told = tell(tool, args);
  if (tool === 'get_run') return { ...(told as JsonObject), report: BROKEN };
  if (tool !== 'list_runs') return told;
  const { runs } = told as { runs: JsonObject[] };
  return { runs: runs.map((row) => ({ ...row, verdict: BROKEN.verdict })) };
}

/** What the tools would say of some topologies, each with a diagnosis that found nothing. */
export function tellOf(all: (typeof SHOP)[]) {
  const rows = all.map((each, i) => run(i + 1, `${10 + i}`, WELL, each));
  return (tool: string, args: JsonObject): Json => {
    const ofTopology = rows.filter(
      ({ topology_id: of }) => args['topology_id'] === undefined || of === args['topology_id'],
    );
    switch (tool) {
      case 'list_topologies':
        return { topologies: those(args, all), more: false };
      case 'get_topology':
        return all.find((each) => each.id === args['topology_id']) as unknown as Json;
      case 'list_runs':
        return { runs: ofTopology.slice(0, Number(args['limit'])).map(rowOf) };
      case 'get_run':
      case 'start_diagnosis': {
        const found = rows.find(({ run_id }) => run_id === args['run_id']) ?? ofTopology[0];
        return (found ?? null) as unknown as Json;
      }
      default:
        return tell(tool, args);
    }
  };
}

/** The tools of an oracle. */
export const TOOLS = new Set([
  'list_topologies',
  'get_topology',
  'list_runs',
  'get_run',
  'read_log',
  'start_diagnosis',
  'follow_diagnosis',
  'navigate_to_page',
  'http_probe',
]);
/** The topology of a chat, with the first call for each node. */
export const OWN: NonNullable<OracleBrief['topology']> = {
  ...SHOP,
  nodes: SHOP.nodes.map((node) => ({
    ...node,
    firstLook: [{ tool: 'http_probe', args: { node: node.id } }],
  })),
};

interface Asked {
  /** Earlier texts: of the oracle only, or of both speakers. */
  said?: (string | Remark)[];
  topology?: OracleBrief['topology'];
  tools?: ReadonlySet<string>;
  answer?: (tool: string, args: JsonObject) => Json | Error;
  needsRole?: OracleBrief['needsRole'];
  /** When it is asked. */
  now?: string;
}

const codeOf = (error: Error) => (error instanceof RefusedError ? { code: error.code } : {});

const NOW = '2026-11-22T13:00:00Z';

/**
 * Asks a question. Returns the calls, the plan of the final answer, and its text without the blank
 * lines between paragraphs.
 */
export function ask(
  userMessage: string,
  { said = [], topology = null, tools = TOOLS, answer = tell, needsRole, now = NOW }: Asked = {},
) {
  const answers: ToolAnswer[] = [];
  const called: string[] = [];
  const spoken = said.map((text): Remark =>
    typeof text === 'string' ? { by: 'oracle', text } : text,
  );
  for (let turn = 0; turn < 10; turn++) {
    const plan = planOracle(
      {
        role: 'oracle',
        userMessage,
        now: Date.parse(now),
        topology,
        thinking: false,
        ...(needsRole && { needsRole }),
      },
      spoken,
      answers,
      tools,
    );
    const { calls, text } = plan;
    if (calls.length === 0) return { plan, text: text.replaceAll('\n\n', '\n'), called };
    expect(text).toBe('');
    called.push([...new Set(calls.map(({ tool }) => tool))].join(' and '));
    for (const { tool, args } of calls) {
      const output = answer(tool, args);
      const failed = output instanceof Error;
      answers.push({
        id: `t${answers.length}`,
        tool,
        args,
        output: failed ? { error: output.message, ...codeOf(output) } : output,
        failed,
      });
    }
  }
  throw new Error('it comes to no end');
}

/** How an answer names the latest run of the shop. */
export const LINE = `Run ${id(3)} of topology 7 (Shop) completed at 2026-11-22 08:30:02 UTC.`;
/** A conversation in which the oracle has answered once. */
export const SPOKEN = [`Root cause: Payments: connection refused.\n${LINE}`];
