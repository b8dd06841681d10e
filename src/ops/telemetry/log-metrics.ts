import { Injectable } from '@nestjs/common';
import type { DraftEvent } from '../../domain/events/event.js';
import type { LogObserver } from '../../domain/events/log-observer.js';
import { isRecord } from '../../lib/json.js';
import { Instruments } from './instruments.js';

type Draft<Name extends DraftEvent['name']> = Extract<DraftEvent, { name: Name }>;

const OTHER = 'other';
/** Codes of contract section 5. */
const MODEL_ERRORS = new Set(['RATE_LIMITED', 'OVERLOADED', 'AI_ERROR']);

/**
 * Counts the actions of agents, from the events that they append. A step or a start that is
 * repeated after a lost response may be counted twice.
 */
@Injectable()
export class LogMetrics implements LogObserver {
  /**
   * Tools that exist: those that the service was given, and what else has answered, for example
   * the tools of the oracle. A model may call a tool by any name.
   */
  private readonly tools = new Set<string>();

  constructor(private readonly instruments: Instruments) {}

  /** Calls of these tools are counted by their names, also if none of them has answered. */
  addTools(names: readonly string[]): void {
    names.forEach((name) => this.tools.add(name));
  }

  appended(
    events: readonly DraftEvent[],
    { tookMs, bytes }: Parameters<LogObserver['appended']>[1],
  ): void {
    this.instruments.appendSeconds.observe(tookMs / 1_000);
    this.instruments.logBytes.inc(bytes);
    for (const event of events) this.count(event);
  }

  received(lagMs: number): void {
    this.instruments.feedLagSeconds.observe(lagMs / 1_000);
  }

  private count(event: DraftEvent): void {
    switch (event.name) {
      case 'lifecycle.started':
        return this.instruments.runsStarted.inc({ kind: event.data.kind });
      case 'llm.usage':
        return this.countCall(event);
      case 'llm.tool_result':
        return this.countTool(event);
      case 'dispatch.report':
        if (event.data.reasons.includes('AGENT_CRASHED')) this.instruments.agentCrashes.inc();
        return;
      case 'system.approval':
        return this.instruments.approvals.inc({ outcome: 'asked' });
      case 'system.warning':
      case 'system.error':
        if (event.data.code === 'AGENT_RESUMED' && event.source)
          this.instruments.agentResumes.inc({ role: event.source.agent_type });
        if (MODEL_ERRORS.has(event.data.code))
          this.instruments.modelErrors.inc({ code: event.data.code });
        return;
      default:
        return;
    }
  }

  private countCall({ data, source }: Draft<'llm.usage'>): void {
    const { model, input_tokens, output_tokens, cost, finish_reason: reason } = data;
    const { duration_ms, waited_ms, first_token_ms, queued_ms } = data;
    const to = this.instruments;
    const outcome = reason === 'error' || reason === 'aborted' ? reason : 'ok';
    to.modelRequests.inc({ model, outcome });
    to.modelTokens.inc({ model, direction: 'input' }, input_tokens);
    to.modelTokens.inc({ model, direction: 'output' }, output_tokens);
    if (cost !== undefined) to.modelCost.inc({ model }, cost);
    if (duration_ms !== undefined) to.modelSeconds.observe({ model }, duration_ms / 1_000);
    if (waited_ms !== undefined) to.modelWaitSeconds.observe({ model }, waited_ms / 1_000);
    if (first_token_ms !== undefined)
      to.modelFirstTokenSeconds.observe({ model }, first_token_ms / 1_000);
    if (queued_ms !== undefined && source)
      to.jobWaitSeconds.observe(
        { queue: source.agent_type.replaceAll('_', '-') },
        queued_ms / 1_000,
      );
  }

  private countTool({ data }: Draft<'llm.tool_result'>): void {
    const { status, duration_ms: ms, approval } = data;
    if (approval) this.instruments.approvals.inc({ outcome: approval.decision });
    if (status === 'ok') this.tools.add(data.tool);
    if (isRecord(data.result) && data.result['code'] === 'EGRESS_DENIED')
      this.instruments.egressDenied.inc();
    const tool = this.tools.has(data.tool) ? data.tool : OTHER;
    this.instruments.toolCalls.inc({ tool, status });
    this.instruments.toolSeconds.observe({ tool }, ms / 1_000);
  }
}
