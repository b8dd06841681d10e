import type { Report } from '../../../src/domain/diagnosis/finding.js';
import type {
  AgentRow,
  Approval,
  BoundAgent,
  Health,
  LogEvent,
  NodeTrack,
  Notice,
  RunUsage,
  ToolCall,
} from './types.js';
import type { EventData, Finding } from '../../../src/client/index.js';

/**
 * The fold of a run's log into what the console shows: a pure function of the events, fed one by
 * one (`fold/`). Whatever it makes carries the sequence at which it came to be and at which it
 * changed, so that the state at event N is a look-up (`view/`) and not another fold.
 */
export class RunModel {
  readonly events: LogEvent[] = [];
  readonly roots: AgentRow[] = [];
  readonly rows = new Map<string, AgentRow>();
  readonly nodes = new Map<string, NodeTrack>();
  readonly notices: Notice[] = [];
  readonly approvals: Approval[] = [];
  /** Findings of workers, in the order of their reports. */
  readonly found: { seq: number; finding: Finding }[] = [];
  readonly calls = new Map<string, ToolCall>();
  readonly usage: RunUsage[] = [];
  /** By agent, as bound in the topology. */
  readonly agents = new Map<string, BoundAgent>();
  /** By agent: its last dispatch. */
  readonly currentRow = new Map<string, AgentRow>();
  started: EventData['lifecycle.started'] | null = null;
  topologyVersion: number | null = null;
  terminal: LogEvent | null = null;
  report: Report | null = null;
  problems = 0;

  get last(): number {
    return this.events.length;
  }

  get startTime(): number {
    return this.events[0]?.time ?? 0;
  }

  get endTime(): number {
    return this.events.at(-1)?.time ?? 0;
  }

  /** When the run ends at the latest, in ms; undefined in an older log. */
  get deadline(): number | undefined {
    const limits = this.started?.limits;
    return limits && this.startTime + limits.timeoutSeconds * 1_000;
  }

  at(seq: number): LogEvent | undefined {
    return this.events[seq - 1];
  }

  timeAt(seq: number): number {
    return this.events[Math.max(0, Math.min(seq, this.events.length) - 1)]?.time ?? 0;
  }

  /** The last event at or before a time; at least the first. */
  seqAt(time: number): number {
    let low = 0;
    let high = this.events.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.events[middle]?.time ?? 0) <= time) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  nameOf(node: string): string {
    return this.nodes.get(node)?.name ?? node;
  }

  /** What is known of a node. While an agent looks at it, it is at most ill, and not yet well. */
  health(node: string, seq: number): Health {
    const known = this.nodes.get(node)?.changes.findLast((change) => change.seq <= seq)?.health;
    if (known === undefined || (known === 'ok' && this.examiner(node, seq))) return 'unknown';
    return known;
  }

  why(node: string, seq: number): string {
    return this.nodes.get(node)?.changes.findLast((change) => change.seq <= seq)?.why ?? '';
  }

  /** Who looks at a node at `seq`. */
  examiner(node: string, seq: number): AgentRow | undefined {
    return this.nodes
      .get(node)
      ?.looks.find(({ startSeq, endSeq }) => startSeq <= seq && (endSeq === null || endSeq > seq))
      ?.row;
  }

  usageAt(seq: number): { tokens: number; cost: number | undefined } {
    return this.usage.findLast((usage) => usage.seq <= seq) ?? { tokens: 0, cost: 0 };
  }

  /** The changes that the run proposes now. */
  get openApprovals(): Approval[] {
    return this.terminal ? [] : this.approvals.filter(({ decidedSeq }) => decidedSeq === null);
  }

  /** Whether the run had ended at `seq`. */
  endedAt(seq: number): boolean {
    return this.terminal !== null && seq >= this.terminal.sequence;
  }
}
