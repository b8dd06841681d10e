import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';

/** The meaning of a refusal. */
interface Meaning {
  symptom: Issue['symptom'];
  title: string;
  advice: string;
  kind: FailureKind;
  /** As of an issue. */
  steps?: string;
}

const WRONG_PASSWORD: Meaning = {
  symptom: 'invalid',
  kind: 'auth',
  title: 'refuses the password',
  advice: 'The user or password of the endpoint is wrong, or was changed.',
};

/**
 * The codes with which Redis, also as a replica or a cluster, refuses PING, AUTH or SELECT
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/).
 */
const BY_CODE: Readonly<Record<string, Meaning>> = {
  WRONGPASS: WRONG_PASSWORD,
  NOAUTH: {
    symptom: 'invalid',
    kind: 'auth',
    title: 'wants a password',
    advice: 'It did not accept that of the endpoint.',
  },
  NOPERM: {
    symptom: 'invalid',
    kind: 'auth',
    title: 'the user has no permission',
    advice: 'The ACL of this user forbids even PING.',
  },
  DENIED: {
    symptom: 'invalid',
    kind: 'config',
    title: 'refuses clients from other machines',
    advice: 'It runs in protected mode without a password.',
  },
  LOADING: {
    symptom: 'erroring',
    kind: 'exception',
    steps: 'loading',
    title: 'still loading its data',
    advice: 'It refuses commands until it has read its data from disk.',
  },
  BUSY: {
    symptom: 'erroring',
    kind: 'exception',
    title: 'busy with a script',
    advice: 'A script or function runs without end; all other commands are refused (SCRIPT KILL).',
  },
  MASTERDOWN: {
    symptom: 'erroring',
    kind: 'infrastructure',
    steps: 'replica',
    title: 'has lost its master',
    advice: 'It is a replica that serves no stale data (replica-serve-stale-data no).',
  },
  MISCONF: {
    symptom: 'erroring',
    kind: 'volume',
    steps: 'failed-snapshot',
    title: 'cannot save its data to disk',
    advice: 'Look at disk space and permissions.',
  },
  OOM: {
    symptom: 'saturated',
    kind: 'out-of-memory',
    title: 'refuses commands',
    advice: 'It has no memory left, and may evict nothing.',
  },
  READONLY: {
    symptom: 'invalid',
    kind: 'config',
    title: 'only reads',
    advice: 'It is a read-only replica.',
  },
  CLUSTERDOWN: {
    symptom: 'erroring',
    kind: 'infrastructure',
    title: 'its cluster is down',
    advice: 'The cluster does not cover all hash slots.',
  },
};

/** Refusals without a code of their own: `ERR` is every error. */
const BY_WORDS: readonly [RegExp, Meaning][] = [
  [/^ERR invalid password/, WRONG_PASSWORD],
  [
    /^ERR max number of clients/,
    {
      symptom: 'saturated',
      kind: 'connection-pool-exhausted',
      title: 'all client connections are in use',
      advice: 'It refuses new clients: connected clients have reached maxclients.',
    },
  ],
  [
    /^ERR (?:invalid )?DB index/,
    {
      symptom: 'invalid',
      kind: 'config',
      steps: 'no-database',
      title: 'has no such database',
      advice: 'The database number of the endpoint is out of range.',
    },
  ],
];

const OTHER: Meaning = {
  symptom: 'erroring',
  kind: 'exception',
  title: 'refuses PING',
  advice: 'It answers with an error.',
};

/**
 * The code of a refusal, if Redis documents it; any other is text of the target, and decides
 * nothing.
 */
export function codeOfRefusal(refusal: string): string | undefined {
  const [code = ''] = /^[A-Z]+(?=\s|$)/.exec(refusal) ?? [];
  return Object.hasOwn(BY_CODE, code) ? code : undefined;
}

/** What a server refuses PING, AUTH or SELECT with, as an issue. */
export function refusalIssue(refusal: string): Issue {
  const code = codeOfRefusal(refusal);
  const { symptom, kind, steps, title, advice } =
    (code === undefined ? BY_WORDS.find(([words]) => words.test(refusal))?.[1] : BY_CODE[code]) ??
    OTHER;
  return {
    severity: 'critical',
    symptom,
    kind,
    ...(steps !== undefined && { steps }),
    title: code === undefined ? title : `${title} (${code})`,
    detail: `${advice} It said: "${refusal}".`,
  };
}
