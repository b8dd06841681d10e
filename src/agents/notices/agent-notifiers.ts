import { Injectable } from '@nestjs/common';
import type { RunSpec } from '../../domain/run.js';
import { RuleSnapshots, type Files } from '../../notifications/rule-snapshots.js';
import { DeferredNotices } from '../../runs/deferred-notices.js';
import { AgentNotifier } from './agent-notifier.js';

/** Finds the companion of a run: each agent of it is accompanied by the files that the run began with. */
@Injectable()
export class AgentNotifiers {
  private readonly known = new WeakMap<Files, AgentNotifier>();

  constructor(
    private readonly pins: RuleSnapshots,
    private readonly nextSessions: DeferredNotices,
  ) {}

  /** At once where those are the files of this process. */
  of({ files }: RunSpec): AgentNotifier | Promise<AgentNotifier> {
    const found = this.pins.of(files);
    return found instanceof Promise ? found.then((read) => this.with(read)) : this.with(found);
  }

  private with(files: Files): AgentNotifier {
    const companion = this.known.get(files) ?? new AgentNotifier(files, this.nextSessions);
    this.known.set(files, companion);
    return companion;
  }
}
