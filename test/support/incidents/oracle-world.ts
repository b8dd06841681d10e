import { nodesIn } from '../../../src/domain/topology/names-in-text.js';
import type { Json, JsonObject } from '../../../src/lib/json.js';
import type { Remark } from '../../../src/models/runbook/oracle/reading/question.js';
import type { planOracle } from '../../../src/models/runbook/oracle/plan-oracle.js';
import { ask, run, tell, those, TOOLS, WELL } from './oracle-questions.js';

/** A shop whose database refuses connections, which three services depend on. */
export const WEB_SHOP = {
  id: 11,
  name: 'Web shop',
  nodes: [
    { id: 'storefront', name: 'Storefront', kind: 'service', dependsOn: ['checkout'] },
    { id: 'checkout', name: 'Checkout', kind: 'service', dependsOn: ['payments', 'inventory'] },
    { id: 'payments', name: 'Payments', kind: 'service', dependsOn: ['orders-db'] },
    { id: 'inventory', name: 'Inventory', kind: 'service', dependsOn: [] },
    { id: 'orders-db', name: 'Orders DB', kind: 'tcp', dependsOn: [] },
  ],
};
/** A healthy topology. */
export const BLOG = {
  id: 12,
  name: 'Blog',
  nodes: [
    { id: 'blog-web', name: 'Blog Web', kind: 'service', dependsOn: ['blog-db'] },
    { id: 'blog-db', name: 'Blog DB', kind: 'tcp', dependsOn: [] },
  ],
};
/** A slow service, a certificate that ends soon, and a service that is well. */
export const BILLING = {
  id: 13,
  name: 'Billing',
  nodes: [
    { id: 'portal', name: 'Customer Portal', kind: 'service', dependsOn: ['invoice-api'] },
    { id: 'invoice-api', name: 'Invoice API', kind: 'service', dependsOn: [] },
    { id: 'mailer', name: 'Mailer', kind: 'service', dependsOn: [] },
  ],
};
const ALL: (typeof WEB_SHOP)[] = [WEB_SHOP, BLOG, BILLING];

const healthy = (nodes: readonly { id: string }[]) =>
  nodes.map(({ id }) => ({ node: id, state: 'healthy' }));
const found = (node: string, title: string, symptom: string, evidence: number[]) => ({
  node,
  severity: symptom === 'advisory' || symptom === 'slow' ? 'warning' : 'critical',
  title,
  detail: '',
  symptom,
  evidence,
});

/** What the diagnoses found. */
export const REPORTS = {
  shop: {
    verdict: 'root_cause_found',
    root_causes: [
      {
        node: 'orders-db',
        title: 'Orders DB: connection refused (ECONNREFUSED)',
        confidence: 0.97,
        kind: 'unreachable',
        evidence: [50],
        chain: ['payments', 'checkout', 'storefront'],
      },
    ],
    findings: [
      found('orders-db', 'connection refused (ECONNREFUSED)', 'unreachable', [50]),
      found('payments', 'answers 500', 'erroring', [56]),
      found('checkout', 'answers 502', 'erroring', [57]),
      found('storefront', 'answers 502', 'erroring', [58]),
    ],
    unchecked: [],
    nodes: [
      { node: 'orders-db', state: 'failed' },
      ...['payments', 'checkout', 'storefront'].map((node) => ({ node, state: 'downstream' })),
      { node: 'inventory', state: 'healthy' },
    ],
    counts: { critical: 4, warning: 0, info: 0 },
    next_steps: [{ text: 'Start Orders DB', node: 'orders-db', access: 'read' }],
  },
  shopWell: { ...WELL, nodes: healthy(WEB_SHOP.nodes) },
  blog: { ...WELL, nodes: healthy(BLOG.nodes) },
  billing: {
    verdict: 'root_cause_found',
    root_causes: [
      {
        node: 'invoice-api',
        title: 'Invoice API: answers in 1503 ms, slower than 500 ms',
        confidence: 0.7,
        kind: 'latency',
        evidence: [39],
      },
    ],
    findings: [
      found('invoice-api', 'answers in 1503 ms, slower than 500 ms', 'slow', [39]),
      {
        ...found('portal', 'certificate of localhost ends in 4 days', 'advisory', [24]),
        kind: 'certificate-expired',
      },
    ],
    unchecked: [],
    nodes: [
      { node: 'invoice-api', state: 'failed' },
      { node: 'portal', state: 'healthy' },
      { node: 'mailer', state: 'healthy' },
    ],
    counts: { critical: 0, warning: 2, info: 0 },
  },
};

type WorldRun = ReturnType<typeof run>;

/** The diagnoses of the world, newest first: one of each topology. */
export const USUAL: readonly WorldRun[] = [
  run(3, '30', REPORTS.billing, BILLING),
  run(2, '20', REPORTS.blog, BLOG),
  run(1, '10', REPORTS.shop, WEB_SHOP),
];
/** As `USUAL`, after the shop has recovered. */
export const RECOVERED: readonly WorldRun[] = [
  run(4, '40', REPORTS.shopWell, WEB_SHOP),
  ...USUAL.slice(0, 2),
  run(1, '10', REPORTS.shop, WEB_SHOP),
];

/** What was measured at a node that is up. */
const MEASURED = [
  { sequence: 31, node: 'blog-web', tool: 'tcp_probe', summary: 'accepts connections' },
  { sequence: 33, node: 'blog-web', tool: 'http_probe', summary: 'answers 200 OK' },
  { sequence: 35, node: 'blog-db', tool: 'tcp_probe', summary: 'accepts connections' },
  { sequence: 50, node: 'orders-db', tool: 'tcp_probe', summary: 'connection refused' },
  {
    sequence: 24,
    node: 'portal',
    tool: 'tls_certificate',
    summary: 'certificate of localhost ends in 4 days',
  },
];

/** What the oracle's tools say of the world. */
export const tellWorld =
  (runs: readonly WorldRun[]) =>
  (tool: string, args: JsonObject): Json => {
    const isMeant = ({ run_id, topology_id, created_at, status }: WorldRun) =>
      (args['topology_id'] === undefined || args['topology_id'] === topology_id) &&
      (args['status'] === undefined || args['status'] === status) &&
      run_id.startsWith((args['id_prefix'] as string | undefined) ?? '') &&
      (args['since'] === undefined || created_at >= (args['since'] as string)) &&
      (args['until'] === undefined || created_at <= (args['until'] as string));
    switch (tool) {
      case 'list_topologies':
        return { topologies: those(args, ALL), more: false };
      case 'get_topology':
        return ALL.find(({ id }) => id === args['topology_id']) ?? null;
      case 'list_runs': {
        const rows = runs
          .filter(isMeant)
          .map(({ report, ...row }) => ({ ...row, verdict: (report as typeof WELL).verdict }));
        if (args['count'] === true) return { count: rows.length };
        return { runs: rows.slice(0, Number(args['limit'])) };
      }
      case 'get_run': {
        const meant = runs.find(({ run_id }) => run_id === args['run_id']);
        const shape = ALL.find(({ id }) => id === meant?.topology_id);
        const about = nodesIn((args['about'] as string | undefined) ?? '', shape);
        const measurements = MEASURED.filter(({ node }) => about.some(({ id }) => id === node));
        return { ...meant, ...(measurements.length > 0 && { measurements }) } as unknown as Json;
      }
      case 'start_diagnosis':
        return (runs.find(isMeant) ?? null) as unknown as Json;
      default:
        return tell(tool, args);
    }
  };

interface World {
  runs?: readonly WorldRun[];
  answer?: (tool: string, args: JsonObject) => Json | Error;
  topology?: Parameters<typeof planOracle>[0]['topology'];
}

/** Asks questions one after the other in one conversation. Returns its texts. */
export function conversation(
  questions: readonly string[],
  { runs = USUAL, answer = tellWorld(runs), topology = null }: World = {},
): Remark[] {
  const said: Remark[] = [];
  for (const question of questions) {
    const { plan } = ask(question, { said, answer, topology, tools: TOOLS });
    said.push({ by: 'person', text: question }, { by: 'oracle', text: plan.text });
  }
  return said;
}

/** As `conversation`. Returns the last answer, without the blank lines between paragraphs. */
export const converse = (questions: readonly string[], world: World = {}): string =>
  conversation(questions, world).at(-1)?.text.replaceAll('\n\n', '\n') ?? '';

/** A topology as that of a chat, whose nodes are measured by `http_probe`. */
export const asOwn = (topology: typeof WEB_SHOP) => ({
  ...topology,
  nodes: topology.nodes.map((node) => ({
    ...node,
    firstLook: [{ tool: 'http_probe', args: { node: node.id } }],
  })),
});
