import type { TopologyNode } from '../../domain/topology/topology.js';
import { textAttribute, timeoutMsOf, type TrustOptions, trustOptionsOf } from '../attributes.js';
import type { CertificateFacts } from './certificate.js';
import { clean, showUrl, urlOf } from './endpoint.js';
import { expectStatusOf, type StatusExpectation } from '../http-probe/expect-status.js';
import { exchange, type HttpAnswer } from './http-exchange.js';
import type { Failure } from './repeat.js';
import type { ToolContext } from '../tool.js';

const MAX_BODY_BYTES = 65_536;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What a right answer is, and whereto redirects may lead. */
export interface VisitOptions {
  trust: TrustOptions;
  timeoutMs: number;
  status: StatusExpectation;
  /** A text that the body must contain. */
  body: string | undefined;
  /** Origins that the topology names. */
  origins: ReadonlySet<string>;
}

/** One try: from the first request over the redirects to the last answer, judged. */
export interface Visit {
  answer?: HttpAnswer;
  failure?: Failure;
  connectMs?: number;
  latencyMs?: number;
  /** Where redirects led, as URLs that may be shown. */
  redirects: string[];
  redirectNotFollowed?: string;
  certificate?: CertificateFacts;
  credentialsWithheld: boolean;
}

/** @throws for attributes that make no sense */
export function visitOptionsOf(node: TopologyNode, nodes: readonly TopologyNode[]): VisitOptions {
  const origins = [node, ...nodes]
    .map((each) => urlOf(each, 'http:', 'https:')?.origin)
    .filter((origin) => origin !== undefined);
  return {
    trust: trustOptionsOf(node),
    timeoutMs: timeoutMsOf(node),
    status: expectStatusOf(node),
    body: textAttribute(node, 'expectBody'),
    origins: new Set(origins),
  };
}

/** @throws the signal's reason; never for a fault of the target */
export async function visit(
  start: URL,
  options: VisitOptions,
  context: ToolContext,
): Promise<Visit> {
  const { node } = context;
  let spentMs = 0;
  const result: Visit = { redirects: [], credentialsWithheld: false };
  let url = start;
  for (;;) {
    const { answer, fault, certificate, credentialsWithheld, tookMs } = await exchange(url, {
      context,
      trust: options.trust,
      timeoutMs: Math.max(1, Math.round(options.timeoutMs - spentMs)),
      maxBytes: MAX_BODY_BYTES,
    });
    spentMs += tookMs;
    // The first certificate at fault, else the first: that of the node itself.
    if (
      certificate &&
      (!result.certificate ||
        (result.certificate.issues.length === 0 && certificate.issues.length > 0))
    )
      result.certificate = certificate;
    result.credentialsWithheld ||= credentialsWithheld;
    const after = result.redirects.length === 0 ? '' : ` after a redirect to ${showUrl(url)}`;
    if (fault) return { ...result, failure: { symptom: fault.symptom, text: fault.text + after } };
    if (!answer) throw new Error('an exchange with neither answer nor fault');
    result.answer = answer;
    result.connectMs ??= answer.connectMs;
    result.latencyMs = spentMs;

    const next = redirectOf(answer, url, options);
    if (next && !options.origins.has(next.origin)) result.redirectNotFollowed = showUrl(next);
    else if (next && result.redirects.length === MAX_REDIRECTS) {
      return {
        ...result,
        failure: {
          symptom: 'erroring',
          text: `redirects without end (more than ${MAX_REDIRECTS})`,
        },
      };
    } else if (next) {
      result.redirects.push(showUrl(next));
      url = next;
      continue;
    }
    const failure = judge(answer, result, options, after, node);
    return failure ? { ...result, failure } : result;
  }
}

/** Where the answer sends us, if it is a redirect and not itself what was expected. */
function redirectOf(answer: HttpAnswer, from: URL, { status }: VisitOptions): URL | undefined {
  const { location } = answer.headers;
  if (
    location === undefined ||
    !REDIRECTS.has(answer.status) ||
    !status.acceptsSuccess ||
    !URL.canParse(location, from.href)
  )
    return undefined;
  const next = new URL(location, from);
  if (next.origin === from.origin) [next.username, next.password] = [from.username, from.password];
  return next;
}

function judge(
  answer: HttpAnswer,
  visited: Visit,
  options: VisitOptions,
  after: string,
  node: TopologyNode,
): Failure | undefined {
  // Without its credentials a service answers 401, which says nothing about it.
  if (visited.credentialsWithheld && (answer.status === 401 || answer.status === 403))
    return undefined;
  const said = excerptOf(answer, node, 160);
  const detail = said === '' ? {} : { detail: `It said: ${said}` };
  if (!options.status.accepts(answer.status)) {
    return { symptom: 'erroring', text: `answers ${showStatus(answer, node)}${after}`, ...detail };
  }
  if (
    options.body !== undefined &&
    visited.redirectNotFollowed === undefined &&
    !answer.body.includes(options.body)
  ) {
    return {
      symptom: 'erroring',
      text: `answers ${answer.status}, but without the expected text${after}`,
      ...detail,
    };
  }
  return undefined;
}

export const showStatus = (answer: HttpAnswer, node: TopologyNode): string =>
  `${answer.status} ${clean(answer.reason, node, 40)}`.trim();

/** The beginning of a body, cleaned of control characters and credentials. */
export const excerptOf = (answer: HttpAnswer, node: TopologyNode, most = 300): string =>
  clean(answer.body, node, most);
