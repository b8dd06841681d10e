import { asksForDiagnosis } from './asks-for-diagnosis.js';
import type { PastMessage } from './chat.js';

/** Maximum number of diagnoses that the oracle starts for one message. */
const MOST_STARTS = 5;
/** The number of a topology, in the languages that the oracle understands. */
const NUMBERED = /\btopolog\p{L}*\s*(?:#|id|no\.?|nr\.?|number)?\s*:?\s*#?\d+(?![\w-]|\.\d)/iu;
const NUMBERS = /(?<![\w.-])\d+(?![\w-]|\.\d)/g;

/**
 * Why a model may not start a diagnosis of a topology, or undefined if it may. A person asks for each: text that the model has read can
 * make it call for others, or many times. Each topology is diagnosed once for a message; only those whose numbers the person gave, if
 * they gave any.
 *
 * @param request the message without the names of topologies and nodes, whose words ask for nothing
 * @param before topologies that the model has already started a diagnosis of for this message
 */
export function refusalToStart(
  { message, request = message }: { message: string; request?: string },
  history: readonly PastMessage[],
  topologyId: number,
  before: readonly number[],
): string | undefined {
  if (!asksForDiagnosis(request, history))
    return `The person has not asked for a diagnosis. Answer without one, and tell the person: Say "diagnose topology ${topologyId}" to start one.`;
  if (before.includes(topologyId))
    return `Topology ${topologyId} is diagnosed once for a message, and was. Answer with that diagnosis.`;
  const last = history.at(-1);
  // What asks for a diagnosis only after an offer accepts that offer.
  const said = asksForDiagnosis(request) ? message : `${message}\n${last?.text}`;
  if (NUMBERED.test(said)) {
    const asked = new Set([...said.matchAll(NUMBERS)].map(([number]) => Number(number)));
    if (!asked.has(topologyId))
      return `The person asked for other topologies, not for ${topologyId}. Tell the person: Say "diagnose topology ${topologyId}" to start a diagnosis of it.`;
  }
  if (new Set(before).size >= MOST_STARTS)
    return `At most ${MOST_STARTS} diagnoses are started for a message. Tell the person which topologies are left.`;
  return undefined;
}
