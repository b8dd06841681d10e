import type { Report } from '../../domain/diagnosis/finding.js';
import { some } from '../../domain/diagnosis/wording.js';

const PROVIDER = 'the model provider failed';

/** Why a run is partial, by the code of the reason. */
const WORDS: Readonly<Record<string, string>> = {
  LIMIT_REACHED: 'an agent reached a limit',
  LOG_LIMIT: 'the log of the run is nearly full',
  ERROR_LIMIT: 'the calls of an agent failed repeatedly',
  NO_PROGRESS: 'an agent made no progress',
  TOOL_FAILED: 'a tool gave no result',
  AGENT_FAILED: 'an agent ended without a report',
  AGENT_CRASHED: 'an agent crashed',
  NOT_DONE: 'an agent could not do its task',
  ANSWER_CUT: 'the model provider cut an answer',
  RATE_LIMITED: PROVIDER,
  OVERLOADED: PROVIDER,
  AI_ERROR: PROVIDER,
};

/**
 * Why a run is partial, in a few words: the nodes that are missing instead of the tools that gave
 * no result.
 */
export function partialText(
  reasons: readonly string[],
  report: Pick<Report, 'unchecked'> | null,
  nameOf: (node: string) => string,
): string {
  const missing = (report?.unchecked ?? []).map(({ node }) => nameOf(node));
  const said = missing.length === 0 ? [] : [`${some(missing)} not checked`];
  const others = reasons.flatMap((reason) =>
    reason === 'TOOL_FAILED' && missing.length > 0
      ? []
      : ((Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined) ?? reason),
  );
  const all = [...new Set([...said, ...others])];
  return all.length === 0 ? 'some agents did not finish' : all.join('; ');
}
