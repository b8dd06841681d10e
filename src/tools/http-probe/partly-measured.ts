import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { EgressPolicy } from '../egress/egress-policy.js';
import { MAX_BODY_BYTES, showStatus, type Visit } from './http-visit.js';

/** Titles for the part of a long answer that was not read. */
export const CUT_TITLES = {
  text: 'the expected text is not in the part of the answer that was read',
  health: 'its health report was not read to the end',
};

/** The part that was not read may contain a failure. */
export const bodyCutIssue = (cut: NonNullable<Visit['bodyCut']>): Issue => ({
  severity: 'info',
  symptom: 'advisory',
  title: CUT_TITLES[cut],
  detail: `The answer is longer than the ${MAX_BODY_BYTES} bytes that are read, does not end, or is compressed otherwise than by gzip or deflate: ${cut === 'text' ? 'the text may come later' : 'a part of it that was not read may be unhealthy'}.`,
});

/** The service is reachable; only a client with a credential can measure whether it works. */
export function unauthorisedIssue({ answer }: Visit): Issue {
  const status = answer ? showStatus(answer) : '401';
  return {
    severity: 'info',
    symptom: 'advisory',
    kind: 'auth',
    title: `answers ${status} to a probe without credentials: only its reachability was measured`,
    detail: `It answers ${status}, as it should to a caller without credentials. Give the endpoint some, or name a path that needs none, to have more measured.`,
  };
}

/**
 * It redirects its callers to an address that belongs to no node: to a sign-in, or to a page that
 * reports a closure.
 */
export function redirectIssue(to: string, egress: EgressPolicy): Issue {
  const { hostname, port, protocol } = new URL(to);
  const target = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  const denial = egress.denialOf(target);
  const more =
    denial === undefined
      ? 'name a path that does not redirect, or make its target a node.'
      : `name a path that does not redirect. Connections to its target are not allowed: ${denial}.`;
  return {
    severity: 'info',
    symptom: 'advisory',
    title: `redirects to ${to}, which was not followed: only its reachability was measured`,
    detail: `No node of the topology is there. If this redirect is right, set \`expectStatus\` to its status; to have more measured, ${more}`,
  };
}
