import { createHash } from 'node:crypto';
import type { PastMessage } from '../../domain/chat/chat.js';
import { writeBrief } from '../../domain/prompt/brief.js';
import type { AgentType } from '../../domain/events/event.js';
import type { TextName } from '../../domain/prompt/prompts.js';
import { endpointMask } from '../../domain/prompt/endpoint-mask.js';
import type { RunSpec } from '../../domain/run.js';
import { mapTexts } from '../../lib/redact-secrets.js';
import { writeTask } from '../../domain/prompt/task-message.js';
import type { AgentSession } from './agent-session.js';
import { foreignRedactorOf, redactorOf } from './redactor.js';
import type { PromptPrefix } from './conversation.js';

/** The texts of an agent's instructions, in this order. */
const TEXTS: Record<AgentType, readonly TextName[]> = {
  worker: ['worker', 'definitions', 'data'],
  team_supervisor: ['team-supervisor', 'definitions', 'data'],
  global_supervisor: ['global-supervisor', 'definitions', 'data'],
  oracle: ['oracle', 'data'],
};

/**
 * The code of a run's data blocks. Runs of older versions have none; it is then derived from the
 * id.
 */
export const dataCodeOf = ({ spec, runId }: Pick<AgentSession, 'spec' | 'runId'>): string =>
  spec.dataCode ?? createHash('sha256').update(runId).digest('hex').slice(0, 12);

function maskOf(spec: RunSpec): PromptPrefix['mask'] {
  const mask = endpointMask(spec.topology.nodes);
  const redact = redactorOf(spec);
  return (text) => mask(redact(text));
}

/** The beginning of every request of an agent: the same in every turn. */
export function makeOpening(
  session: AgentSession,
  { history, isFree }: { history: readonly PastMessage[]; isFree: boolean },
): PromptPrefix {
  const { spec, place, role, prompts, task, board, createdAt, deadlineAt } = session;
  const code = dataCodeOf(session);
  const { context } = spec.chat ?? {};
  // The deterministic planner sends nothing to a provider.
  const mask = isFree ? (text: string) => text : maskOf(spec);
  const message = writeTask({
    startedAt: board.startedAt ?? createdAt,
    deadlineAt,
    limits: spec.limits,
    code,
    task,
    // The deterministic planner reads only what the person asks.
    ...(!isFree &&
      context !== undefined && { context: { origin: "the person's page", text: context } }),
    ...(spec.userMessage !== task && { reported: spec.userMessage }),
  });
  const sent = isFree ? message : mask(foreignRedactorOf(spec)(message));
  const brief = writeBrief(role.brief(spec, place), place.binding.prompt);
  const shared = () => TEXTS[place.type].map((name) => prompts.texts[name].trim()).join('\n\n');
  const opening: PromptPrefix = {
    history: mapTexts(history, mask),
    code,
    task: sent,
    mask,
    // The deterministic planner reads only the brief.
    system: isFree ? [brief] : [shared(), brief],
  };
  return isFree ? opening : mapTexts(opening, redactorOf(spec));
}
