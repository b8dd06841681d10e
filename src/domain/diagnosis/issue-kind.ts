import { statedKind } from '../failure-texts/kind-of-text.js';
import type { FailureKind } from './failure-kind.js';
import type { Symptom } from './finding.js';
import { quotedWords } from './wording.js';
import type { Issue } from './tool-result.js';

/** Maximum code units of an issue's text that are analysed: it quotes the target's answer. */
const LOOKED_AT = 600;

/** The kind of a failure of which only the symptom is known. */
export const KIND_BY_SYMPTOM: Readonly<Record<Symptom, FailureKind>> = {
  unreachable: 'unreachable',
  nameless: 'dns',
  erroring: 'exception',
  slow: 'latency',
  saturated: 'capacity',
  invalid: 'config',
  advisory: 'unknown',
};

/** A duration: `403 ms` is no status. */
const DURATIONS = /(?<![\w.])\d{1,9}(?:\.\d{1,9})? m?s\b/gi;

const lookedAt = (text: string): string => text.slice(0, LOOKED_AT).replace(DURATIONS, 'some time');

/** Fields of JSON that repeat the request or refer to documentation, and state no failure. */
const NO_STATEMENTS =
  /"(?:docs?|documentation|help|hint|href|links?|url|uri|path|route|request|query|see|type|example|topic|tip|note)" ?: ?"(?:[^"\\]|\\.)*(?:"|$)/gi;
/** The path of a URL, or a path alone: its words are part of the request. */
const PATHS = /(:\/\/[^\s/"'<>]{1,253})\/[^\s"'<>]*|(?<=^|[\s"'=(])\/[\w./%-]+/g;

const statementsOf = (quoted: string): string =>
  quoted.replace(NO_STATEMENTS, ' ').replace(PATHS, (_, origin?: string) => `${origin ?? ''} `);

/** The parts of title and detail that quote the target, each on a line of its own. */
const quotedIn = ({ title, detail }: Pick<Issue, 'title' | 'detail'>): string =>
  [title, detail].map((text) => statementsOf(quotedWords(lookedAt(text)))).join('\n');

type IssueText = Pick<Issue, 'symptom' | 'title' | 'detail' | 'kind'>;

/**
 * The kind of failure of an issue: from its tool, otherwise from the target's text that the tool
 * quotes, otherwise from its symptom. Its title is for people, and decides nothing.
 */
export const issueKind = (issue: IssueText): FailureKind => kindOf(issue).kind;

/** @returns with the kind whether only the words of the target give it */
export function kindOf(issue: IssueText): { kind: FailureKind; stated: boolean } {
  if (issue.kind !== undefined) return { kind: issue.kind, stated: false };
  const bySymptom = KIND_BY_SYMPTOM[issue.symptom];
  // That it is slow was measured, whatever its text.
  const stated = issue.symptom === 'slow' ? undefined : statedKind(quotedIn(issue));
  const kind = stated ?? bySymptom;
  return { kind, stated: kind !== bySymptom };
}

/**
 * Kinds that a node which answers states about its dependencies, by the text that states them. Its
 * own name was resolved, its own certificate is read by tools, a node that refuses a credential
 * answers so itself, and only a Redis refuses a command because its memory is full.
 */
const OF_ANOTHER: Partial<Record<FailureKind, RegExp>> = {
  'certificate-expired': /./,
  dns: /./,
  'rate-limited': /./,
  auth: /./,
  'out-of-memory': /oom command not allowed|maxmemory'/i,
  timeout: /./,
  unreachable: /./,
  volume: /\bmisconf\b/i,
};
/**
 * Symptoms of a node that forwards the answer of another; a refused credential (`invalid`) is its
 * own statement.
 */
const PASSED_ON: readonly Symptom[] = ['erroring', 'advisory'];
const HOST = '[a-z0-9][a-z0-9-]{0,62}(?:\\.[a-z0-9][a-z0-9-]{0,62}){0,10}';
const NAMED = new RegExp(`(?:enotfound|eai_again|lookup|host name) "?(${HOST})(?![\\w.-])`, 'g');
const WITH_PORT = new RegExp(`(?<![\\w.@:/-])(${HOST}):(\\d{1,5})(?!\\w|[.:]\\d)`, 'g');
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** `lookup db on 10.0.0.2:53`: which server was asked. */
const NAME_SERVER = / on [^\s]{1,80}:53\b/g;
/** `app.js:120` is a line of a program, `status:429` no host. */
const NO_HOST = /\.(?:[cm]?[jt]s|py|rb|go|php|java)$|^[\d.]*$/;

/**
 * The place of a failure that a node only reports, from the text of its answer: an empty object if
 * it names no host, or several; undefined for a failure of its own.
 */
export function reportedPlace(
  finding: Pick<Issue, 'symptom' | 'title' | 'detail'> & {
    kind?: FailureKind | undefined;
    stated?: boolean | undefined;
  },
): { host?: string; port?: string } | undefined {
  const { kind, stated, symptom } = finding;
  const passedOn = kind && OF_ANOTHER[kind];
  if (!stated || passedOn === undefined || !PASSED_ON.includes(symptom)) return undefined;
  const said = quotedIn(finding).replaceAll(NAME_SERVER, '');
  if (statedKind(said) !== kind || !passedOn.test(said)) return undefined;
  const lower = said.toLowerCase();
  const places = new Map<string, { host: string; port?: string }>();
  for (const [, host = '', port = ''] of lower.matchAll(WITH_PORT)) {
    const isHost =
      IPV4.test(host) || (!NO_HOST.test(host) && (host.includes('.') || port.length > 3));
    if (isHost) places.set(host, { host, port });
  }
  if (kind === 'dns')
    for (const [, host = ''] of lower.matchAll(NAMED))
      if (!places.has(host)) places.set(host, { host });
  return places.size === 1 ? [...places.values()][0] : {};
}
