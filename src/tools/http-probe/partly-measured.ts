import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { EgressPolicy } from '../egress/egress-policy.js';
import { MAX_BODY_BYTES, showStatus, type Visit } from './http-visit.js';

/** Titles by what was not read of a long answer. */
export const CUT_TITLES = {
  text: 'the expected text is not in the part of the answer that was read',
  health: 'what it says of its health was not read to the end',
};

/** What was not read may be wrong. */
export const bodyCutIssue = (cut: NonNullable<Visit['bodyCut']>): Issue => ({
  severity: 'info',
  symptom: 'advisory',
  title: CUT_TITLES[cut],
  detail: `The answer is longer than the ${MAX_BODY_BYTES} bytes that are read, does not end, or is compressed otherwise than by gzip or deflate: ${cut === 'text' ? 'the text may come later' : 'a part of it that was not read may be unhealthy'}.`,
});

/** The service is there; whether it works, only someone with a credential can say. */
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

/** It sends its callers where no node is: to a sign-in, or to a page that says it is closed. */
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
