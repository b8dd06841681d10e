import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DraftEvent } from '../../domain/events/event.js';
import { matchesType, rankOf } from '../../domain/notifications/agent-event.js';
import type { DeliveryContext } from '../../domain/notifications/deferral.js';
import { deliver } from '../../domain/notifications/deliver.js';
import type {
  DeferredGroup,
  NotificationRow,
} from '../../domain/notifications/notification-state.js';
import { pump, type RuleFailure, type RuleLog } from '../../domain/notifications/pump.js';
import { isTriggeredBy } from '../../domain/notifications/rule.js';
import type { Point } from '../../domain/notifications/subscriber.js';
import type { Files } from '../../notifications/file-snapshots.js';
import type { DeferredNotices } from '../../runs/deferred-notices.js';
import type { AgentSession, SessionDraft } from '../runtime/agent-session.js';
import type { Notices } from '../runtime/session-step.js';
import { contextOf, tallyOf, viewOf, type Tally } from './rule-context.js';

/** Codes that have events of their own in the log, so that people see them already. */
const SEEN = [
  'query.*',
  'session.*',
  'agent.turn.*',
  'agent.loop.*',
  'tool.*',
  'budget.*',
  'context.*',
  'subagent.*',
];

/** Evaluates rules and subscribers for the agents of runs that share a rule snapshot. */
export class AgentNotifier {
  private readonly logger = new Logger(AgentNotifier.name);
  private readonly subscribed = new Map<string, boolean>();

  constructor(
    private readonly files: Files,
    private readonly notices: DeferredNotices,
  ) {}

  /** Whether a rule or a subscriber handles events of a type: others are not kept. */
  readonly isSubscribed = (type: string): boolean => {
    let known = this.subscribed.get(type);
    if (known === undefined) {
      known =
        this.files.subscribers.some(({ events }) =>
          events.types.some((pattern) => matchesType(pattern, type)),
        ) || this.files.rules.active.some((rule) => isTriggeredBy(rule, { type }));
      this.subscribed.set(type, known);
    }
    return known;
  };

  /**
   * Passes the events on the queue to rules and subscribers, and takes out the notices that are due
   * at these points. Changes the draft: the resulting step records both, so that nothing is lost or
   * delivered twice.
   */
  notify(session: SessionDraft, ...points: Point[]): Notices {
    const state = session.board.notifications;
    const notices: Notices = { messages: [], events: [] };
    if (state.queue.events.length === 0 && state.groups.length === 0 && state.deferred.length === 0)
      return notices;
    const tally = tallyOf(session);
    const at = deliveryContextOf(session, tally);
    const { logs, failures } = pump(state, {
      subscribers: this.files.subscribers,
      rules: this.files.rules.active,
      at,
      contextOf: (event) => contextOf(session, tally, event),
      test: (rule, context) => this.files.rules.test(rule, viewOf(tally, at, context)),
      mint: randomUUID,
    });
    notices.events.push(
      ...logs.flatMap((log) => this.log(session, log)),
      ...failures.map((failure) => failed(session, failure)),
    );
    for (const point of points) {
      const { text, quoted, rows } = deliver(state, point, at);
      // The deterministic planner reads no notes.
      if (session.chain[0]?.isFree !== true) {
        if (text !== '') notices.messages.push({ role: 'note', text });
        notices.messages.push(...quoted.map((block) => ({ role: 'note' as const, ...block })));
      }
      notices.events.push(...rows.flatMap((row) => seen(session, row)));
    }
    return notices;
  }

  /**
   * Stores notices for a later session. A diagnosis stores none: its input may be hostile, and must
   * not reach the model of another run.
   */
  async handOver(
    { spec, runId, dispatchId }: AgentSession,
    deferred: readonly DeferredGroup[],
  ): Promise<void> {
    if (!spec.chat) return;
    const { sessionId } = spec.chat;
    const notices = deferred.map(({ group }) => ({
      id: `${runId}.${dispatchId ?? 'top'}.${group.order}`,
      session: sessionId,
      runId,
      at: group.opened,
      group,
    }));
    await this.notices.add(spec.owner, spec.topology.id, notices);
  }

  /** Removes the notices that a conversation began with, if its model has seen them. */
  async finished({ spec, messages }: AgentSession): Promise<void> {
    const { carried = [] } = spec.chat ?? {};
    if (carried.length > 0 && messages.some(({ role }) => role === 'assistant'))
      await this.notices.remove(spec.owner, spec.topology.id, carried);
  }

  /** Text of a rule is written to the service's log, and from `warning` on also to the run's. */
  private log(session: AgentSession, { rule, level, message }: RuleLog): DraftEvent[] {
    const line = { msg: message, rule, runId: session.runId, agentId: session.source.agent_id };
    switch (level) {
      case 'debug':
        this.logger.debug(line);
        return [];
      case 'info':
        this.logger.log(line);
        return [];
      case 'warning':
      case 'error':
        this.logger.warn(line);
        return [session.warning('RULE_LOG', message, { rule, level })];
    }
  }
}

const failed = (session: AgentSession, { rule, error }: RuleFailure): DraftEvent =>
  session.warning('RULE_FAILED', `Rule "${rule}" could not be evaluated: ${error}.`, { rule });

/**
 * The warning of a notification, for people who watch; none if it is below `warning` or has an
 * event of its own.
 */
function seen(
  session: AgentSession,
  { type, severity, text, count, carried }: NotificationRow,
): DraftEvent[] {
  const code = type.toUpperCase().replaceAll('.', '_');
  // It comes from another session: this log has no event of it.
  if (carried) return [session.warning(code, text, { severity, count, carried })];
  if (rankOf(severity) < rankOf('warning') || SEEN.some((pattern) => matchesType(pattern, type)))
    return [];
  return [session.warning(code, text, { severity, count })];
}

const deliveryContextOf = (
  { board, messages, tokenUsage, contextUsage, now }: AgentSession,
  { done }: Tally,
): DeliveryContext => ({
  now: now(),
  turn: board.turn,
  toolsDone: Object.fromEntries(done),
  contextUsage,
  tokenUsage,
  messages: messages.length,
});
