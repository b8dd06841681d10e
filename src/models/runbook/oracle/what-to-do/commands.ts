import { NoAnswerError, SeveralFit } from '../facts.js';
import { otherTopologyOffer } from '../subject/named.js';
import { nextSteps } from './next-steps.js';
import type { MarkdownText } from '../replies/markdown-text.js';
import type { AnswerInput } from '../answer-input.js';

const REPAIRS =
  'add (?:(?:more|another|an?|some|\\d+) )*(?:replicas?|instances?|pods?|capacity|memory|workers?)|fix|repair|heal|resolve|solve|mend|restart|reboot|reload|redeploy|deploy|roll ?back|roll (?:it|this|that|them) back|revert|undo|scale|kill|drain|fail ?over|patch|upgrade|flush|purge|clear|renew|rotate|replace|reissue|free|drain|extend|increase|start up|bring up|shut down|do (?:it|that|so)|go ahead|proceed|turn (?:on|off)|enable|disable';
const RUNS = 'stop|cancel|abort|pause|resume';
const TOPOLOGIES = 'delete|remove|create|add|rename|edit|update(?=\\W+\\w)|set';
const OTHERS =
  'silence|mute|acknowledge|ack|alert(?= (?:me|us|them|him|her|the|our|my|all|\\w+(?:one|body)|on-?call)\\b)|remind|inform|notify|page|call|email|approve|reject|deny|refuse|close|reopen|assign';
const POLITE =
  "(?:(?:please|now|so|ok|okay|and|then|just|can you|could you|would you|will you|let'?s|i want you to|i'd like you to|you should|you can)[\\s,]+)*";

/** Matches a text that asks the oracle to change something. @param verbs of the change */
const orderTo = (verbs: string): RegExp =>
  new RegExp(`^\\W*${POLITE}(?:${verbs})\\b(?!.*\\b(?:steps?|logs?)\\b)`);
const [REPAIR, CANCEL, EDIT, NOTIFY] = [
  REPAIRS,
  RUNS,
  TOPOLOGIES,
  '(?:alert|remind|inform|notify) (?:me|us)',
].map(orderTo);

export const COMMAND = orderTo([REPAIRS, RUNS, TOPOLOGIES, OTHERS].join('|'));

const CANNOT = 'I change nothing: I read topologies and diagnoses, and start diagnoses.';
const CALLS: readonly (readonly [RegExp | undefined, string])[] = [
  [CANCEL, 'A run is cancelled in the console, or by POST /api/service/v1/executions/cancel.'],
  [EDIT, 'Topologies are edited in the console, or by PUT /api/service/v1/topologies/ID.'],
  [
    NOTIFY,
    'The service sends reports to chats and webhooks (REPORTS_FILE), of diagnoses that SCHEDULES_FILE repeats.',
  ],
];

/**
 * Refuses to change something, and says what else the person can do. To one who wants a repair: the
 * next steps.
 */
export function refuseCommand(asked: AnswerInput): string | MarkdownText {
  const { asks } = asked.question;
  if (REPAIR?.test(asks) !== true)
    return [CANNOT, ...CALLS.flatMap(([what, how]) => (what?.test(asks) ? [how] : []))].join(' ');
  const offer = otherTopologyOffer(asked);
  if (offer !== undefined) return `${CANNOT}\n${offer}`;
  const question = { ...asked.question, latest: false };
  try {
    return { markdown: `${CANNOT}\n\n${nextSteps({ ...asked, question }).markdown}` };
  } catch (error) {
    if (error instanceof SeveralFit) return `${CANNOT}\n${error.message}`;
    if (!(error instanceof NoAnswerError)) throw error;
    const id = asked.brief.topology?.id ?? asked.before.topologyId ?? 'N';
    const [why = ''] = NOT_KNOWN.exec(error.message) ?? [];
    return `${CANNOT}${why === '' ? '' : `\n${why}`} For the next steps of a report, ask me "how do I fix topology ${id}?".`;
  }
}

/** How it is said that a name is not known. */
const NOT_KNOWN = /^I know no node called [^\n]*?, and no topology\./;
