import { Injectable } from '@nestjs/common';
import type { RunSpec } from '../../domain/run.js';
import { RuleSnapshots, type Files } from '../../notifications/rule-snapshots.js';
import { DeferredNotices } from '../../runs/deferred-notices.js';
import { AgentNotifier } from './agent-notifier.js';

/** Finds the notifier of a run: its agents use the rules and subscribers that the run began with. */
@Injectable()
export class AgentNotifiers {
  private readonly known = new WeakMap<Files, AgentNotifier>();

  constructor(
    private readonly snapshots: RuleSnapshots,
    private readonly notices: DeferredNotices,
  ) {}

  /** At once if those are the files of this process. */
  of({ files }: RunSpec): AgentNotifier | Promise<AgentNotifier> {
    const found = this.snapshots.of(files);
    return found instanceof Promise ? found.then((read) => this.with(read)) : this.with(found);
  }

  private with(files: Files): AgentNotifier {
    const notifier = this.known.get(files) ?? new AgentNotifier(files, this.notices);
    this.known.set(files, notifier);
    return notifier;
  }
}
