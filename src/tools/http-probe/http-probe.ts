import { z } from 'zod';
import type { JsonObject } from '../../lib/json.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { DEFAULT_TRIES, nodeArgument, triesArgument } from '../arguments.js';
import { slowMsOf } from '../attributes.js';
import { connectTcp, withPlace } from '../net/connect.js';
import { type HostPort, hostPortOf, showUrl, urlOf } from '../net/endpoint.js';
import {
  excerptOf,
  explained,
  showStatus,
  visit,
  type Visit,
  visitOptionsOf,
} from './http-visit.js';
import { mentionsOf } from '../net/mentions.js';
import { codeOf } from '../net/network-error.js';
import { failureIssues, repeat } from '../net/repeat.js';
import { atMost, round, slowIssue, spread, toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';
import { within } from '../net/within.js';
import { crashIn, metBy, watchRestarts } from './restarts.js';
import { targetOf } from './probe-target.js';
import { unauthorisedIssue, redirectIssue, bodyCutIssue, CUT_TITLES } from './partly-measured.js';

const args = z.strictObject({
  node: nodeArgument,
  tries: triesArgument,
  path: z
    .string()
    .regex(/^\/(?![/\\])/)
    .max(1000)
    .exactOptional()
    .describe(
      "Path and query to ask for instead of the endpoint's own; only those that the node's attribute `paths` allows",
    ),
});
type Args = z.infer<typeof args>;

/**
 * GETs an HTTP endpoint several times. Attributes: `expectStatus`, `expectBody` (a text that the
 * body contains), `paths` (see {@link targetOf}), `slowMs`, `timeoutMs` (one try with its
 * redirects), `trustSelfSigned`, `ca`, `serverName`.
 */
export const httpProbe: Tool<Args> = {
  name: 'http_probe',
  access: 'read',
  measures: () => 'service',
  subject: ['path'],
  repeatable: true,
  args,
  appliesTo: (node) => node.kind === 'service' && urlOf(node, 'http:', 'https:') !== undefined,
  argsFor: (node) => ({ node: node.id, tries: DEFAULT_TRIES }),
  run,
};

async function run(
  { tries = DEFAULT_TRIES, path }: Args,
  context: ToolContext,
): Promise<ToolResult> {
  const { node, signal } = context;
  const { url, isChosen } = targetOf(context, path);
  const options = visitOptionsOf(node, context.nodes);
  const slowMs = slowMsOf(node);
  const look = (timeoutMs: number) => visit(url, { ...options, timeoutMs }, context);
  const tried = await repeat(
    { tries, timeoutMs: options.timeoutMs, signal },
    () => look(options.timeoutMs),
    ({ failure }) => failure !== undefined,
  );
  const visits = await explained(tried, options, context);
  const crash = await crashOf(visits, look, context);

  const failures = visits.flatMap(({ failure }) => failure ?? []);
  const last = visits.findLast(({ answer }) => answer !== undefined);
  const wrong = visits.findLast(
    ({ failure, answer }) => failure !== undefined && answer !== undefined,
  );
  const latency = spread(visits.flatMap(({ latencyMs }) => latencyMs ?? []));
  const certificate = visits.find((each) => each.certificate)?.certificate;
  const expected = `status ${options.status.text}${options.body === undefined ? '' : ` and the text ${JSON.stringify(options.body.slice(0, 80))}`}`;

  const found: Issue[] = [
    ...failureIssues(failures, visits.length, expected).map((issue): Issue =>
      crash ? { severity: issue.severity, detail: issue.detail, ...crash } : issue,
    ),
  ];
  if (latency) {
    const how = `${visits.length} tries took from ${latency.min} to ${latency.max} ms, the median`;
    found.push(...slowIssue('answers', latency.median, slowMs, how));
  }
  const issues = [...(certificate?.issues ?? []), ...(isChosen ? found.map(asInfo) : found)];
  if (last?.unauthorised) issues.push(unauthorisedIssue(last));
  if (last?.redirectNotFollowed !== undefined && last.failure === undefined)
    issues.push(redirectIssue(last.redirectNotFollowed, context.policy.egress));
  if (last?.bodyCut) issues.push(bodyCutIssue(last.bodyCut));
  const mentions =
    wrong?.answer && !isChosen ? mentionsOf(wrong.answer.body, node, context.nodes) : [];
  const measurements: JsonObject = {
    url: showUrl(url),
    tries: visits.length,
    failed_tries: failures.length,
    status: last?.answer?.status ?? null,
    statuses: tally(visits.flatMap(({ answer }) => (answer ? String(answer.status) : []))),
    latency_ms: latency,
    connect_ms: spread(visits.flatMap(({ connectMs }) => connectMs ?? [])),
    ...(failures.length > 0 && { errors: tally(failures.map(({ text }) => text)) }),
    ...(wrong?.answer && { body_excerpt: excerptOf(wrong.answer, node) }),
    ...(last && last.redirects.length > 0 && { redirects: last.redirects }),
    ...(last?.redirectNotFollowed !== undefined && {
      redirect_not_followed: last.redirectNotFollowed,
    }),
    ...(certificate && { certificate: certificate.measurements }),
    ...(last?.credentialsWithheld && { credentials_withheld: true }),
  };
  const result = toolResult(
    summarise(visits, last, issues),
    measurements,
    issues,
    latency ? atMost('latency_ms', latency.median, slowMs) : [],
  );
  const isReachedOnly =
    last?.unauthorised === true ||
    last?.credentialsWithheld === true ||
    last?.redirectNotFollowed !== undefined ||
    last?.bodyCut !== undefined;
  return {
    ...result,
    samples: visits.map(({ latencyMs, answer, failure }) => ({
      ...(latencyMs !== undefined && { ms: round(latencyMs) }),
      ...(answer && { status: answer.status }),
      ...(failure && { error: failure.text }),
    })),
    ...(mentions.length > 0 && { mentions }),
    ...(last?.bodyCut === 'text' && !isChosen && { not_read: bodyCutIssue('text').detail }),
    ...((isChosen || (isReachedOnly && failures.length === 0)) && { partial: true as const }),
  };
}

/** An issue at a path that an agent chose, of which the topology names only the beginning. */
const asInfo = (issue: Issue): Issue => ({
  ...issue,
  severity: 'info',
  detail: `${issue.detail} The topology names only the beginning of this path: it decides nothing about the service.`,
});

/** ms that a further visit may take besides the tries, and that a connection may take. */
const LOOK_MS = 3_000;
const CONNECT_MS = 500;

/**
 * What the visits show about a process that does not answer, after further visits if needed; these
 * are added to `visits`.
 * @throws the signal's reason
 */
async function crashOf(
  visits: Visit[],
  look: (timeoutMs: number) => Promise<Visit>,
  context: ToolContext,
): Promise<Required<Pick<Issue, 'title' | 'kind' | 'symptom'>> | undefined> {
  const target = hostPortOf(context.node);
  if (target === undefined) return undefined;
  const met = await watchRestarts(
    visits.map(({ faultKind }) => metBy(faultKind)),
    {
      signal: context.signal,
      isOpen: () => isOpen(target, context),
      look: async () => {
        const more = await look(LOOK_MS);
        visits.push(more);
        return metBy(more.faultKind);
      },
    },
  );
  const crash = crashIn(met);
  return crash && { ...crash, symptom: 'unreachable' };
}

/** Whether a port does not refuse connections. @throws the signal's reason */
async function isOpen(target: HostPort, context: ToolContext): Promise<boolean> {
  const { signal, policy } = context;
  try {
    await withPlace(context, target, () =>
      within(signal, CONNECT_MS, (own) => connectTcp(target, policy.egress, own)),
    );
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return codeOf(error) !== 'ECONNREFUSED';
  }
}

function summarise(
  visits: readonly Visit[],
  last: Visit | undefined,
  issues: readonly Issue[],
): string {
  const failed = visits.filter(({ failure }) => failure !== undefined);
  const certificate = visits.find((each) => each.certificate)?.certificate?.issues[0];
  const prefix = certificate ? `${certificate.title}; ` : '';
  if (!last?.answer)
    return `${prefix}${issues.at(-1)?.title ?? 'no answer'} (${failed.length} of ${visits.length} tries)`;
  const median = spread(visits.flatMap(({ latencyMs }) => latencyMs ?? []))?.median ?? 0;
  const time = `in ${round(median, median < 10 ? 1 : 0)} ms`;
  const said = failed.at(-1)?.failure?.text;
  if (failed.length === visits.length)
    return `${prefix}${said} ${time} (${visits.length} of ${visits.length} tries)`;
  const to = last.redirects.at(-1);
  const after = to === undefined ? '' : ` after a redirect to ${to}`;
  const answered = `answered ${showStatus(last.answer)}${after} ${time} (median of ${visits.length})`;
  const elsewhere =
    last.redirectNotFollowed === undefined
      ? ''
      : `; redirects to ${last.redirectNotFollowed}, not followed: no node of the topology`;
  const partly =
    failed.length === 0 ? '' : `; ${failed.length} of ${visits.length} tries failed: ${said}`;
  const cut = last.bodyCut === undefined ? '' : `; ${CUT_TITLES[last.bodyCut]}`;
  return prefix + answered + partly + elsewhere + cut;
}

/** How often each text occurs; at most ten of them. */
function tally(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).slice(0, 10));
}
