import { Injectable } from '@nestjs/common';
import type { Files } from '../../notifications/file-snapshots.js';
import { DeferredNotices } from '../../runs/deferred-notices.js';
import { AgentNotifier } from './agent-notifier.js';

/**
 * Finds the notifier of a run: its agents use the rules and subscribers that the run began with.
 */
@Injectable()
export class AgentNotifiers {
  private readonly known = new WeakMap<Files, AgentNotifier>();

  constructor(private readonly notices: DeferredNotices) {}

  of(files: Files): AgentNotifier {
    const notifier = this.known.get(files) ?? new AgentNotifier(files, this.notices);
    this.known.set(files, notifier);
    return notifier;
  }
}
