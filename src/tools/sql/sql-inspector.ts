import { z } from 'zod';
import type { JsonObject } from '../../lib/json.js';
import { ATTRIBUTE_BOUNDS } from '../../domain/topology/node-attributes.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { isRecorded } from '../../domain/topology/recorded.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { connectionWords, UNTRUSTED_CODES } from '../../sources/http/connection-words.js';
import { errorOfSource, SourceError } from '../../sources/http/source-error.js';
import type { withPostgres } from '../../sources/postgres/postgres-session.js';
import type { SqlSession } from '../../sources/sql/sql-session.js';
import {
  NO_ANSWER,
  NO_CONNECTION,
  UNSAFE_PASSWORD,
  UNSUPPORTED_SIGN_IN,
  USER_LIMIT,
} from '../../sources/sql/sql-task.js';
import { nodeArgument } from '../arguments.js';
import { numberAttribute, slowMsOf, timeoutMsOf } from '../attributes.js';
import { withPlace } from '../net/connect.js';
import { clean, showHostPort, urlOf } from '../net/endpoint.js';
import {
  classify,
  codeOf,
  faultIssue,
  messageOf,
  type NetworkFault,
  type ConnectionPhase,
} from '../net/network-error.js';
import { orWrongAddress } from '../net/spoken-protocol.js';
import { TimeLimitError, within } from '../net/within.js';
import { type CheckedValue, toolResult, worstIssues } from '../result.js';
import { selectsFrom } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import { refusalOf, type SqlRefusals } from './sql-refusal.js';
import { loginOf, ownsDatabase, type Owns, type SqlAddress } from './sql-login.js';

/** Time for all queries: a healthy server answers them in milliseconds. */
const READING_MS = 15_000;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

export interface SqlThresholds {
  /** Percent of the connections that clients may have. */
  connectionsPercent: number;
  slowMs: number;
}

export interface SqlJudgement {
  measurements: JsonObject;
  issues: Issue[];
  judged: CheckedValue[];
  /** See `ToolResult`. */
  hidden?: string;
}

/** The specifics of a kind of servers. */
interface SqlDialect<Reading> extends SqlAddress {
  tool: string;
  /** In messages. */
  product: 'MySQL' | 'PostgreSQL';
  connect: typeof withPostgres;
  /** `clean` makes a text of the server fit for a result. */
  read(
    session: SqlSession,
    given: { clean: (text: string) => string; signal: AbortSignal },
  ): Promise<Reading>;
  judge(reading: Reading, thresholds: SqlThresholds, owns: Owns): SqlJudgement;
  refusals: SqlRefusals;
  /** Whether the server does not accept the credential. */
  refusesCredential(code: string): boolean;
}

/**
 * A tool that measures the state of a database server over one connection that only reads. A server
 * that refuses the credential of SOURCES_FILE, or that was given none, is a `SourceError`
 * `refused`: the node is unchecked. Attributes: `connectionsPercent`, `slowMs`, `timeoutMs`, and
 * with TLS `trustSelfSigned`, `ca`, `serverName`.
 */
export const sqlInspector = <Reading extends { answerMs: number }>(
  dialect: SqlDialect<Reading>,
): Tool<Args> => ({
  name: dialect.tool,
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  holds: 32 * 2 ** 20,
  args,
  appliesTo: (node, sources) =>
    node.kind === dialect.kind &&
    (urlOf(node, ...dialect.protocols) !== undefined ||
      isRecorded(sources) ||
      selectsFrom(node, dialect.kind, sources)),
  argsFor: (node) => ({ node: node.id }),
  run: (_args, context) => inspect(dialect, context),
});

/**
 * Why the server does not accept the credential, if that shows nothing about the database: it is
 * the operator's, or there is none. That of an endpoint is part of the system.
 */
function whyRefused(
  { refusesCredential }: Pick<SqlDialect<never>, 'refusesCredential'>,
  credential: 'listed' | 'own' | 'none',
  error: unknown,
): string | undefined {
  const code = codeOf(error);
  if (credential === 'own' || !refusesCredential(code)) return undefined;
  if (credential === 'none')
    return `wants a credential, and its endpoint in the topology has no password (${code})`;
  if (code === UNSAFE_PASSWORD)
    return `asks for a password that others could read, and got none (${code}): turn on TLS with a verified certificate in SOURCES_FILE, or another sign-in method at the server`;
  const words = /^\d/.test(code) ? `: "${messageOf(error)}"` : '';
  return `refuses the credential of SOURCES_FILE${words} (${code})`;
}

const isOfTrust = (code: string): boolean =>
  code === 'ERR_TLS_CERT_ALTNAME_INVALID' || (UNTRUSTED_CODES as readonly string[]).includes(code);

async function inspect<Reading extends { answerMs: number }>(
  dialect: SqlDialect<Reading>,
  context: ToolContext,
): Promise<ToolResult> {
  const { node, signal, policy } = context;
  const { login, credential, source } = await loginOf(dialect, node, context);
  const owns = await ownsDatabase(dialect, context);
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
  // The user and the database: commands that a report names need both.
  const measured = {
    target: where,
    ...(source !== undefined && { source }),
    user: clean(login.user, node),
    ...(login.database !== '' && { database: clean(login.database, node) }),
  };
  let phase = 'connect' as ConnectionPhase;
  try {
    const reading = await withPlace(context, login, () =>
      within(signal, timeoutMs + READING_MS, (own) =>
        dialect.connect(login, { egress: policy.egress, signal: own, timeoutMs }, (session) => {
          phase = 'answer';
          return dialect.read(session, { clean: (text) => clean(text, node, 500), signal: own });
        }),
      ),
    );
    const { measurements, issues, judged, hidden } = dialect.judge(reading, thresholds, owns);
    const { shown } = worstIssues(issues.map((issue) => cleaned(issue, node)));
    const first = shown.find(({ severity }) => severity !== 'info');
    const summary = first
      ? `${where}: ${first.title}`
      : `${where} answers in ${Math.round(reading.answerMs)} ms, all values within their limits`;
    const result = toolResult(summary, { ...measured, ...measurements }, shown, judged);
    return hidden === undefined ? result : { ...result, hidden };
  } catch (error) {
    signal.throwIfAborted();
    const code = codeOf(error);
    const refusedWhy = whyRefused(dialect, credential, error);
    if (refusedWhy !== undefined) {
      const refused = new SourceError('refused', `${where} ${clean(refusedWhy, node, 300)}`);
      throw source === undefined ? refused : errorOfSource(source, refused);
    }
    // The trust settings come from SOURCES_FILE: they are not a property of the server.
    if (source !== undefined && isOfTrust(code))
      throw errorOfSource(
        source,
        new SourceError('failed', `${where}: ${connectionWords(error)}`, { cause: error }),
      );
    if (code === USER_LIMIT)
      throw new UnmeasuredError(
        `${where} lets the user have no more connections: its own limit is reached, and nothing is known of others. Raise it, or let fewer diagnoses run at once`,
      );
    if (code === UNSUPPORTED_SIGN_IN)
      throw new UnmeasuredError(`${where}: ${clean(messageOf(error), node)}`, { cause: error });
    const expected = `a ${dialect.product} at ${where}`;
    const met = faultOf(error, phase, timeoutMs);
    const refusal = refusalOf(dialect.refusals, code, messageOf(error));
    const fault =
      refusal || phase === 'answer'
        ? met
        : await orWrongAddress(met, `a ${dialect.product}`, login, context);
    const issue = cleaned(refusal ?? faultIssue(fault, expected), node);
    return toolResult(`${where}: ${issue.title}`, { ...measured, error: issue.title }, [issue]);
  }
}

/** Why there was no connection, or no answer. */
function faultOf(error: unknown, phase: ConnectionPhase, timeoutMs: number): NetworkFault {
  const code = codeOf(error);
  return code === NO_ANSWER || code === NO_CONNECTION
    ? classify(new TimeLimitError(timeoutMs), code === NO_ANSWER ? 'answer' : 'connect')
    : classify(error, phase);
}

const cleaned = (issue: Issue, node: TopologyNode): Issue => ({
  ...issue,
  title: clean(issue.title, node, 200),
  detail: clean(issue.detail, node, 500),
});
