import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { isRecorded } from '../../domain/topology/recorded.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { withPostgres } from '../../sources/postgres/postgres-session.js';
import type { PostgresLogin, PostgresTls } from '../../sources/postgres/postgres-task.js';
import { nodeArgument } from '../arguments.js';
import { numberAttribute, slowMsOf, timeoutMsOf, trustOptionsOf } from '../attributes.js';
import { withPlace } from '../net/connect.js';
import { clean, credentialsOf, hostPortOf, showHostPort, urlOf } from '../net/endpoint.js';
import { classify, codeOf, messageOf } from '../net/network-error.js';
import { within } from '../net/within.js';
import { toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';
import { judgePostgres } from './postgres-judgement.js';
import { readPostgres } from './postgres-read.js';
import { refusalOf } from './refusals.js';

const MOST_ISSUES = 15;
/** Time for all queries: a server that is well answers them in milliseconds. */
const READING_MS = 15_000;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/** Attributes: `connectionsPercent`, `slowMs`, `timeoutMs`, and with TLS `trustSelfSigned`, `ca`, `serverName`. */
export const postgresInspect: Tool<Args> = {
  name: 'postgres_inspect',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  holds: 32 * 2 ** 20,
  args,
  appliesTo: (node, sources) =>
    node.kind === 'postgres' &&
    (urlOf(node, 'postgres:', 'postgresql:') !== undefined ||
      isRecorded(sources) ||
      (sources ?? []).some(({ id, kind }) => kind === 'postgres' && node.in?.[id] !== undefined)),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node, signal, policy } = context;
  const login = await loginOf(context);
  const timeoutMs = timeoutMsOf(node);
  const thresholds = {
    connectionsPercent: numberAttribute(node, 'connectionsPercent', 80, [1, 100]),
    slowMs: slowMsOf(node),
  };
  const where = showHostPort(login);
  try {
    const reading = await withPlace(context, login, () =>
      within(signal, timeoutMs + READING_MS, (own) =>
        withPostgres(login, { egress: policy.egress, signal: own, timeoutMs }, (session) =>
          readPostgres(session, (text) => clean(text, node, 500)),
        ),
      ),
    );
    const { measurements, issues, judged } = judgePostgres(reading, thresholds);
    const shown = issues.slice(0, MOST_ISSUES).map((issue) => cleaned(issue, node));
    const first = shown.find(({ severity }) => severity !== 'info');
    const summary = first
      ? `${where}: ${first.title}`
      : `${where} answers in ${Math.round(reading.answerMs)} ms, nothing out of bounds`;
    return toolResult(summary, { target: where, ...measurements }, shown, judged);
  } catch (error) {
    signal.throwIfAborted();
    const issue = cleaned(faultIssue(error, where, timeoutMs), node);
    return toolResult(`${where}: ${issue.title}`, { target: where, error: issue.title }, [issue]);
  }
}

/** Where to sign in: the endpoint of the node, or the server of SOURCES_FILE that it selects from. @throws where there is neither */
async function loginOf({ node, sources }: ToolContext): Promise<PostgresLogin> {
  const access = await sources?.accessOf?.(node, 'postgres');
  const bound = access ? { ...node, endpoint: access.endpoint } : node;
  const [url, target] = [urlOf(bound, 'postgres:', 'postgresql:'), hostPortOf(bound)];
  if (!url || !target)
    throw new Error(
      `postgres_inspect needs a node of kind postgres with an endpoint postgres://host:port/database; ${node.id} has none`,
    );
  const { user = 'postgres', password } = access ?? credentialsOf(url) ?? {};
  // The author of a topology must not decide which server gets a credential of the operator.
  const tls = access ? access.tls : tlsOfNode(node, url);
  return {
    ...target,
    database: access?.selector ?? (decodeURIComponent(url.pathname.slice(1)) || 'postgres'),
    user,
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
  };
}

function tlsOfNode(node: TopologyNode, url: URL): PostgresTls | undefined {
  const { ca, serverName, trustSelfSigned } = trustOptionsOf(node);
  if ((url.searchParams.get('sslmode') ?? 'disable') === 'disable') return undefined;
  return {
    trustSelfSigned,
    ...(ca !== undefined && { ca }),
    ...(serverName !== undefined && { serverName }),
  };
}

/** No connection, or a server that refuses: the finding itself. */
function faultIssue(error: unknown, where: string, timeoutMs: number): Issue {
  const refusal = refusalOf(codeOf(error), messageOf(error));
  if (refusal) return refusal;
  // pg gives its own limit of the connection no code.
  const isLate = messageOf(error).startsWith('timeout expired');
  const fault = classify(error, 'connect');
  const title = isLate ? `no connection within ${timeoutMs} ms` : fault.text;
  return {
    severity: 'critical',
    symptom: fault.symptom,
    title,
    detail: `Expected a PostgreSQL at ${where}: ${title}.`,
    ...(isLate && { duration_ms: timeoutMs }),
    ...(fault.waitedMs !== undefined && { duration_ms: fault.waitedMs }),
  };
}

const cleaned = (issue: Issue, node: TopologyNode): Issue => ({
  ...issue,
  title: clean(issue.title, node, 200),
  detail: clean(issue.detail, node, 500),
});
