import type { TopologyNode } from '../../domain/topology/topology.js';
import { textAttribute, timeoutMsOf, type TrustOptions, trustOptionsOf } from '../attributes.js';
import type { CertificateFacts } from '../net/certificate.js';
import { clean, credentialsOf, showUrl, urlOf } from '../net/endpoint.js';
import { readHealthBody } from './health-body.js';
import { expectStatusOf, type StatusExpectation } from './expect-status.js';
import {
  exchangeOnce,
  type HttpAnswer,
  type HttpExchange,
  orOtherProtocol,
} from '../net/http-exchange.js';
import { meaningOfStatus } from './status-meaning.js';
import type { NetworkFault } from '../net/network-error.js';
import type { Failure } from '../net/repeat.js';
import type { ToolContext } from '../tool.js';

export const MAX_BODY_BYTES = 65_536;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The expected answer, and the allowed targets of redirects. */
export interface VisitOptions {
  trust: TrustOptions;
  timeoutMs: number;
  status: StatusExpectation;
  /** A text that the body must contain. */
  body: string | undefined;
  /** The topology defines the expected status itself, so that 401 is judged like any other. */
  statusIsGiven: boolean;
  /** Origins that the topology names. */
  origins: ReadonlySet<string>;
}

/** One try: from the first request over the redirects to the last answer, with its judgement. */
export interface Visit {
  answer?: HttpAnswer;
  failure?: Failure;
  /** Why nothing answered at the node's own address. */
  faultKind?: NetworkFault['kind'];
  connectMs?: number;
  latencyMs?: number;
  /** Targets of redirects, as URLs without secrets. */
  redirects: string[];
  redirectNotFollowed?: string;
  certificate?: CertificateFacts;
  credentialsWithheld: boolean;
  /**
   * The body is longer than what was read: the expected text was not in the read part, or its
   * health report continues.
   */
  bodyCut?: 'text' | 'health';
  /** The last request, and its outcome. */
  last?: { url: URL; exchanged: HttpExchange };
  /** It answers 401 or 403, and was given no credential: that is no failure of the service. */
  unauthorised?: true;
}

const failureOf = ({ kind, text, ...why }: NetworkFault, after: string): Failure => ({
  ...why,
  fault: kind,
  text: text + after,
});

/**
 * The meaning of failures of all tries at the node's own address: only then is another protocol
 * tried there. A load balancer would count a connection between tries, too.
 * @throws the signal's reason; UnmeasuredError
 */
export async function explained(
  visits: readonly Visit[],
  options: Pick<VisitOptions, 'trust'>,
  context: ToolContext,
): Promise<Visit[]> {
  const isOwn = ({ failure, redirects }: Visit) => failure !== undefined && redirects.length === 0;
  const { last } = visits.at(-1) ?? {};
  if (last === undefined || !visits.every(isOwn)) return [...visits];
  const { fault } = await orOtherProtocol(last.exchanged, last.url, {
    context,
    trust: options.trust,
  });
  if (fault === undefined || fault === last.exchanged.fault) return [...visits];
  return visits.map(({ answer: _refusal, ...visit }) => ({
    ...visit,
    faultKind: fault.kind,
    failure: failureOf(fault, ''),
  }));
}

/** @throws for invalid attributes */
export function visitOptionsOf(node: TopologyNode, nodes: readonly TopologyNode[]): VisitOptions {
  const origins = [node, ...nodes]
    .map((each) => urlOf(each, 'http:', 'https:')?.origin)
    .filter((origin) => origin !== undefined);
  return {
    trust: trustOptionsOf(node),
    timeoutMs: timeoutMsOf(node),
    status: expectStatusOf(node),
    statusIsGiven: node.attributes['expectStatus'] !== undefined,
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
    const exchanged = await exchangeOnce(url, {
      context,
      trust: options.trust,
      timeoutMs: Math.max(1, Math.round(options.timeoutMs - spentMs)),
      maxBytes: MAX_BODY_BYTES,
    });
    const { answer, fault, certificate, credentialsWithheld, tookMs } = exchanged;
    spentMs += tookMs;
    // The first faulty certificate, otherwise the first: that of the node itself.
    if (
      certificate &&
      (!result.certificate ||
        (result.certificate.issues.length === 0 && certificate.issues.length > 0))
    )
      result.certificate = certificate;
    result.credentialsWithheld ||= credentialsWithheld;
    const after = result.redirects.length === 0 ? '' : ` after a redirect to ${showUrl(url)}`;
    result.last = { url, exchanged };
    if (fault) {
      const own = result.redirects.length === 0 && { faultKind: fault.kind };
      return { ...result, ...own, failure: failureOf(fault, after) };
    }
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
          failureKind: 'exception',
          steps: 'redirect-loop',
        },
      };
    } else if (next) {
      result.redirects.push(showUrl(next));
      url = next;
      continue;
    }
    if (isUnauthorised(answer, url, options)) return { ...result, unauthorised: true };
    const { failure, bodyCut } = judge(answer, result, options, node);
    if (bodyCut) result.bodyCut = bodyCut;
    return failure ? { ...result, failure: { ...failure, text: failure.text + after } } : result;
  }
}

/** The target of a redirect, if that is not itself the expected answer. */
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

/** Such an answer to a request without credentials shows only that the service can be reached. */
const isUnauthorised = (answer: HttpAnswer, url: URL, { status, statusIsGiven }: VisitOptions) =>
  (answer.status === 401 || answer.status === 403) &&
  !statusIsGiven &&
  !status.accepts(answer.status) &&
  credentialsOf(url) === undefined;

/** The judgement of an answer. */
type Judgement = Pick<Visit, 'bodyCut'> & { failure?: Failure };

/** With this page nginx answers 400 to a client without a certificate that it accepts. */
const NO_CLIENT_CERTIFICATE =
  /<center>(?:No required SSL certificate was sent|The SSL certificate error)<\/center>/;

/** The meaning of an unexpected status. */
function ofStatus(
  { status, body, bodyComplete }: HttpAnswer,
  { statusIsGiven }: VisitOptions,
  node: TopologyNode,
): Pick<Failure, 'failureKind' | 'steps' | 'part'> {
  if (statusIsGiven && status < 400) return { failureKind: 'wrong-result' };
  const { failureKind, steps } = meaningOfStatus(status);
  const meant = { ...(failureKind && { failureKind }), ...(steps !== undefined && { steps }) };
  const parts = readHealthBody(body, bodyComplete).failure?.parts ?? [];
  if (NO_CLIENT_CERTIFICATE.test(body) && status === 400)
    return { failureKind: 'auth', steps: 'client-certificate' };
  return parts.length > 0 && status >= 500 ? partsOf(parts, node) : meant;
}

/** The issue that a health page names unhealthy parts. */
const partsOf = (
  parts: readonly string[],
  node: TopologyNode,
): Pick<Failure, 'steps' | 'part'> => ({
  steps: 'unhealthy-part',
  ...(parts.length > 0 && { part: clean(parts.join(', '), node, 120) }),
});

function judge(
  answer: HttpAnswer,
  visited: Visit,
  options: VisitOptions,
  node: TopologyNode,
): Judgement {
  // Without its credentials a service answers 401, which is no fault.
  if (visited.credentialsWithheld && (answer.status === 401 || answer.status === 403)) return {};
  const said = excerptOf(answer, node, 160);
  // A page for people may contain any text: its words state no failure.
  const lead = answer.body.trimStart().startsWith('<') ? 'Its page begins' : 'It said';
  const quoted = said === '' ? undefined : `${lead}: "${said}".`;
  if (!options.status.accepts(answer.status)) {
    const text = `answers ${showStatus(answer)}`;
    const { words } = meaningOfStatus(answer.status);
    const detail = [words, quoted].filter((each) => each !== undefined).join(' ');
    return {
      failure: {
        symptom: 'erroring',
        text,
        httpStatus: answer.status,
        ...(detail !== '' && { detail }),
        ...ofStatus(answer, options, node),
      },
    };
  }
  // An expected text is the operator's own judgement of the body.
  if (options.body === undefined) return judgeHealth(answer, node);
  if (visited.redirectNotFollowed !== undefined || answer.body.includes(options.body)) return {};
  // It may be in the part that was not read.
  if (!answer.bodyComplete) return { bodyCut: 'text' };
  const text = `answers ${answer.status}, but without the expected text`;
  return {
    failure: {
      symptom: 'erroring',
      failureKind: 'wrong-result',
      text,
      ...(quoted !== undefined && { detail: quoted }),
    },
  };
}

function judgeHealth(answer: HttpAnswer, node: TopologyNode): Judgement {
  const { failure, isCut } = readHealthBody(answer.body, answer.bodyComplete);
  if (!failure) return isCut ? { bodyCut: 'health' } : {};
  const said = clean(failure.details.join('; '), node, 300) || excerptOf(answer, node, 160);
  return {
    failure: {
      symptom: failure.severity === 'critical' ? 'erroring' : 'advisory',
      severity: failure.severity,
      text: `answers ${answer.status}, but says it is ${clean(failure.text, node, 120)}`,
      expected: 'an answer that says it is well',
      ...partsOf(failure.parts, node),
      ...(said !== '' && { detail: `It said: "${said}".` }),
    },
    ...(isCut && { bodyCut: 'health' as const }),
  };
}

export const showStatus = ({ status, reason }: HttpAnswer): string => `${status} ${reason}`.trim();

/** The beginning of a body, cleaned of control characters and credentials. */
export const excerptOf = (answer: HttpAnswer, node: TopologyNode, most = 300): string =>
  clean(answer.body, node, most);
