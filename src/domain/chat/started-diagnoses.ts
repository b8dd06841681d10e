import { asksForDiagnosis } from './asks-for-diagnosis.js';
import type { PastMessage } from './chat.js';

/** Maximum number of diagnoses that the oracle starts for one message. */
export const MOST_STARTS = 5;
/** The number of a topology, in the languages that the oracle understands. */
const NUMBERED = /\btopolog\p{L}*\s*(?:#|id|no\.?|nr\.?|number)?\s*:?\s*#?\d+(?![\w-]|\.\d)/iu;
const NUMBERS = /(?<![\w.-])\d+(?![\w-]|\.\d)/g;

/**
 * Why no other diagnosis of a topology is started for a message, whatever the message says;
 * undefined if one may be.
 * @param before topologies for which the model has already called for a diagnosis, also if that
 *   failed or was refused
 */
export function refusalToRepeat(topologyId: number, before: readonly number[]): string | undefined {
  if (before.includes(topologyId))
    return `A diagnosis of topology ${topologyId} is started once for a message, and you have called for it already. Use the result of that call.`;
  if (new Set(before).size >= MOST_STARTS)
    return `At most ${MOST_STARTS} diagnoses are started for a message. Tell the person which topologies are left.`;
  return undefined;
}

/**
 * Why a model may not start a diagnosis of a topology, or undefined if it may. A person asks for
 * each: text that the model has read can make it call for others. Only topologies whose numbers the
 * person gave are diagnosed, if they gave any.
 *
 * @param request the message without the names of topologies and nodes, whose words ask for nothing
 */
export function refusalToStart(
  { message, request = message }: { message: string; request?: string },
  history: readonly PastMessage[],
  topologyId: number,
): string | undefined {
  if (!asksForDiagnosis(request, history))
    return `The person has not asked for a diagnosis. Answer without one, and tell the person: Say "diagnose topology ${topologyId}" to start one.`;
  const last = history.at(-1);
  // What asks for a diagnosis only after an offer accepts that offer.
  const said = asksForDiagnosis(request) ? message : `${message}\n${last?.text}`;
  if (NUMBERED.test(said)) {
    const asked = new Set([...said.matchAll(NUMBERS)].map(([number]) => Number(number)));
    if (!asked.has(topologyId))
      return `The person asked for other topologies, not for ${topologyId}. Tell the person: Say "diagnose topology ${topologyId}" to start a diagnosis of it.`;
  }
  return undefined;
}
