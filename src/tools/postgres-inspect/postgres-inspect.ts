import { z } from 'zod';
import { ATTRIBUTE_BOUNDS } from '../../domain/topology/node-attributes.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { isRecorded } from '../../domain/topology/recorded.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { SourceError } from '../../sources/http/source-error.js';
import { NO_ANSWER, NO_CONNECTION } from '../../sources/postgres/postgres-task.js';
import { withPostgres } from '../../sources/postgres/postgres-session.js';
import { nodeArgument } from '../arguments.js';
import { numberAttribute, slowMsOf, timeoutMsOf } from '../attributes.js';
import { withPlace } from '../net/connect.js';
import { clean, showHostPort, urlOf } from '../net/endpoint.js';
import { classify, codeOf, messageOf, type Phase } from '../net/network-error.js';
import { TimeLimitError, within } from '../net/within.js';
import { toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';
import { judgePostgres } from './postgres-judgement.js';
import { loginOf, ownsDatabase } from './postgres-login.js';
import { readPostgres } from './postgres-read.js';
import { refusalOf, refusesCredential } from './refusals.js';

const MOST_ISSUES = 15;
/** Time for all queries: a server that is well answers them in milliseconds. */
const READING_MS = 15_000;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * The state of a PostgreSQL. A server that refuses the credential of SOURCES_FILE is a `SourceError` `refused`: the node is unchecked.
 * Attributes: `connectionsPercent`, `slowMs`, `timeoutMs`, and with TLS `trustSelfSigned`, `ca`, `serverName`.
 */
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
  const { login, isListed } = await loginOf(node, context);
  const owns = await ownsDatabase(context);
  const timeoutMs = timeoutMsOf(node);
  const thresholds = {
    connectionsPercent: numberAttribute(
      node,
      'connectionsPercent',
      80,
      ATTRIBUTE_BOUNDS.connectionsPercent,
    ),
    slowMs: slowMsOf(node),
  };
  const where = showHostPort(login);
  let phase: Phase = 'connect';
  try {
    const reading = await withPlace(context, login, () =>
      within(signal, timeoutMs + READING_MS, (own) =>
        withPostgres(login, { egress: policy.egress, signal: own, timeoutMs }, (session) => {
          phase = 'answer';
          return readPostgres(session, (text) => clean(text, node, 500));
        }),
      ),
    );
    const { measurements, issues, judged } = judgePostgres(reading, thresholds, owns);
    const shown = issues.slice(0, MOST_ISSUES).map((issue) => cleaned(issue, node));
    const first = shown.find(({ severity }) => severity !== 'info');
    const summary = first
      ? `${where}: ${first.title}`
      : `${where} answers in ${Math.round(reading.answerMs)} ms, nothing out of bounds`;
    return toolResult(summary, { target: where, ...measurements }, shown, judged);
  } catch (error) {
    signal.throwIfAborted();
    // What the operator's credential may not see says nothing about the database. That of an endpoint is a part of the system.
    if (isListed && refusesCredential(codeOf(error)))
      throw new SourceError(
        'refused',
        `${where} refuses the credential of SOURCES_FILE (${codeOf(error)})`,
      );
    const issue = cleaned(faultIssue(error, where, phase, timeoutMs), node);
    return toolResult(`${where}: ${issue.title}`, { target: where, error: issue.title }, [issue]);
  }
}

/** No connection, or a server that refuses: the finding itself. */
function faultIssue(error: unknown, where: string, phase: Phase, timeoutMs: number): Issue {
  const refusal = refusalOf(codeOf(error), messageOf(error));
  if (refusal) return refusal;
  const code = codeOf(error);
  const fault =
    code === NO_ANSWER || code === NO_CONNECTION
      ? classify(new TimeLimitError(timeoutMs), code === NO_ANSWER ? 'answer' : 'connect')
      : classify(error, phase);
  return {
    severity: 'critical',
    symptom: fault.symptom,
    title: fault.text,
    detail: `Expected a PostgreSQL at ${where}: ${fault.text}.`,
    ...(fault.waitedMs !== undefined && { duration_ms: fault.waitedMs }),
  };
}

const cleaned = (issue: Issue, node: TopologyNode): Issue => ({
  ...issue,
  title: clean(issue.title, node, 200),
  detail: clean(issue.detail, node, 500),
});
