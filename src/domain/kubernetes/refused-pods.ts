import type { FailureKind } from '../diagnosis/failure-kind.js';

/** Why the API server does not let a controller create pods. */
export interface PodRefusal {
  /** The end of a title. */
  because: string;
  failure: FailureKind;
  /** The entry of the catalogue of next steps. */
  steps: string;
}

/**
 * What refuses pods, from the text of a condition or an event: a webhook that fails is at fault
 * itself, not the workload.
 */
export function refusalIn(words: string): PodRefusal | undefined {
  const webhook = /failed calling webhook "([^"]{1,200})"/.exec(words)?.[1];
  if (webhook !== undefined)
    return { because: `: the webhook ${webhook} fails`, failure: 'config', steps: 'webhook' };
  const quota = /exceeded quota(?:: ([\w.-]{1,253}))?/.exec(words);
  if (quota === null) return undefined;
  const name = quota[1] === undefined ? 'a quota' : `the quota ${quota[1]}`;
  return { because: `: ${name} is used up`, failure: 'capacity', steps: 'quota' };
}
