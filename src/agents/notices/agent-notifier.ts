import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DraftEvent } from '../../domain/events/event.js';
import { matchesType, rankOf } from '../../domain/notifications/agent-event.js';
import type { DeliveryContext } from '../../domain/notifications/deferral.js';
import { deliver } from '../../domain/notifications/deliver.js';
import type { Row } from '../../domain/notifications/notification-state.js';
import { pump, type RuleFailure, type RuleLog } from '../../domain/notifications/pump.js';
import { isTriggeredBy } from '../../domain/notifications/rule.js';
import type { Point } from '../../domain/notifications/subscriber.js';
import { putOff } from '../../domain/notifications/next-session.js';
import type { Files } from '../../notifications/rule-snapshots.js';
import type { DeferredNotices } from '../../runs/deferred-notices.js';
import type { AgentSession, Told } from '../runtime/agent-session.js';
import { contextOf, tallyOf, viewOf, type Tally } from './rule-context.js';

/** Where a person sees these already: in events of their own. */
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

/** Accompanies the agents of runs that began with the same files: shows what happens to rules and subscribers, tells models what came of it. */
export class AgentNotifier {
  private readonly logger = new Logger(AgentNotifier.name);
  private readonly heeded = new Map<string, boolean>();

  constructor(
    private readonly files: Files,
    private readonly nextSessions: DeferredNotices,
  ) {}

  /** Whether anybody wants to know of events of a type: what nobody wants is not kept. */
  readonly isSubscribed = (type: string): boolean => {
    let heeded = this.heeded.get(type);
    if (heeded === undefined) {
      heeded =
        this.files.subscribers.some(({ events }) =>
          events.types.some((pattern) => matchesType(pattern, type)),
        ) || this.files.rules.active.some((rule) => isTriggeredBy(rule, { type }));
      this.heeded.set(type, heeded);
    }
    return heeded;
  };

  /**
   * Lets rules and subscribers see what has emitAgentEvent, and takes out what is to be told at a point. The caller records both
   * with the blackboard, in one step: so nothing is lost, and nothing told twice.
   */
  tell(session: AgentSession, ...points: Point[]): Told {
    const state = session.board.notifications;
    const told: Told = { messages: [], events: [] };
    if (state.queue.events.length === 0 && state.groups.length === 0 && state.deferred.length === 0)
      return told;
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
    told.events.push(
      ...logs.flatMap((log) => this.log(session, log)),
      ...failures.map((failure) => failed(session, failure)),
    );
    for (const point of points) {
      const { text, rows } = deliver(state, point, at);
      // The runbook reads no notes.
      if (text !== '' && session.chain[0]?.isFree !== true)
        told.messages.push({ role: 'note', text });
      told.events.push(...rows.flatMap((row) => seen(session, row)));
    }
    return told;
  }

  /** Hands over what was put off until the next session, once that is recorded: a crash before this only has it done again. */
  async carryOver({ board, spec, runId, dispatchId }: AgentSession): Promise<void> {
    const { notifications } = board;
    const off = putOff(notifications);
    if (off.length === 0) return;
    const session = spec.chat?.sessionId ?? null;
    const notices = off.map(({ group }) => ({
      id: `${runId}.${dispatchId ?? 'top'}.${group.order}`,
      session,
      at: group.opened,
      group,
    }));
    await this.nextSessions.handIn(spec, notices);
    notifications.deferred = notifications.deferred.filter((deferred) => !off.includes(deferred));
  }

  /** What a rule writes goes to the service's log, and from `warning` on to the run's. */
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
  session.warning('RULE_FAILED', `The rule "${rule}" could not be asked: ${error}.`, { rule });

/** What the model was told of, for whoever watches, where that is worth a warning and not told already. */
function seen(session: AgentSession, { type, severity, text, count, carried }: Row): DraftEvent[] {
  const code = type.toUpperCase().replaceAll('.', '_');
  // It was for the session of whoever asks, who sees no event of it in this log.
  if (carried) return [session.warning(code, text, { severity, count, carried })];
  if (rankOf(severity) < rankOf('warning') || SEEN.some((pattern) => matchesType(pattern, type)))
    return [];
  return [session.warning(code, text, { severity, count })];
}

const deliveryContextOf = (
  { board, messages, tokenUsage, contextUsage }: AgentSession,
  { done }: Tally,
): DeliveryContext => ({
  now: Date.now(),
  turn: board.turn,
  toolsDone: Object.fromEntries(done),
  contextUsage,
  tokenUsage,
  messages: messages.length,
});
