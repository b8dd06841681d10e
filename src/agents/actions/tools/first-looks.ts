import type { FirstLook } from '../../../domain/prompt/brief.js';
import type { JsonObject } from '../../../lib/json.js';
import type { ToolRegistry } from '../../../tools/tool-registry.js';
import type { Tool } from '../../../tools/tool.js';
import { firstLookAt } from '../../roles/brief-nodes.js';
import type { AgentSession, SessionDraft } from '../../runtime/agent-session.js';
import { checkArgs } from '../../runtime/check-args.js';
import type { Message } from '../../runtime/conversation.js';
import type { StepResult } from '../../runtime/session-step.js';
import { nextCallId, openCall } from './open-call.js';
import { subjectOf } from './subject-of.js';

/** A call of an agent, with or without a result. */
interface AgentCall {
  tool: string;
  args: JsonObject;
}

/**
 * The calls of its node's first look that a worker has not made although its model ended its work:
 * calls that read, and that no other call makes with the same subject and as many tries. A refused
 * call does not count as made. A single try cannot show that a service fails only now and then.
 */
export function firstLookLeftOut(session: AgentSession, tools: ToolRegistry): FirstLook[] {
  const { board } = session;
  const { worker } = session.place;
  const node = worker && session.node(worker.node);
  if (!node || !board.stop || board.failed || board.reasons.length > 0) return [];
  const own = worker.tools.flatMap((name) => tools.get(name) ?? []);
  const reading = own.filter(({ access }) => access === 'read');
  const made: AgentCall[] = [
    ...session.answers().filter(({ refused }) => !refused),
    ...board.calls.filter(({ fault }) => fault === undefined),
  ];
  return firstLookAt(node, reading, session.spec.topology.sources).filter(
    (look) => !made.some((call) => isMadeBy(call, look, tools.get(look.tool))),
  );
}

/** The step that opens calls which the service makes for an agent. Changes the draft. */
export function openForService(draft: SessionDraft, looks: readonly FirstLook[]): StepResult {
  const calls = looks.map((look) => ({ ...look, id: nextCallId(draft) }));
  const asked: Message = { role: 'assistant', text: '', calls, byService: true };
  return {
    state: draft.board,
    events: calls.map(({ id, ...look }) => openCall(draft, id, look, { by_service: true })),
    messages: [asked],
  };
}

function isMadeBy(call: AgentCall, look: FirstLook, tool: Tool | undefined): boolean {
  if (call.tool !== look.tool || call.args['node'] !== look.args['node']) return false;
  const wanted = measuredBy(tool, look.args);
  const measured = measuredBy(tool, call.args, wanted?.tries);
  if (!wanted || measured?.subject !== wanted.subject) return false;
  return measured.tries >= wanted.tries;
}

/** What a call measures; undefined if its arguments do not fit its tool. */
function measuredBy(
  tool: Tool | undefined,
  given: JsonObject,
  defaultTries = 1,
): { subject: string; tries: number } | undefined {
  const checked = tool && checkArgs(tool.args, given);
  if (!checked || 'fault' in checked) return undefined;
  const { tries } = checked.args as { tries?: unknown };
  return {
    subject: subjectOf(checked.args, tool.subject),
    tries: typeof tries === 'number' ? tries : defaultTries,
  };
}
