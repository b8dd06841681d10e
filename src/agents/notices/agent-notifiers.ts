import { Injectable } from '@nestjs/common';
import type { RunSpec } from '../../domain/run.js';
import { Pins, type Files } from '../../notifications/rule-snapshots.js';
import { NextSessions } from '../../runs/deferred-notices.js';
import { Companion } from './agent-notifier.js';

/** Finds the companion of a run: each agent of it is accompanied by the files that the run began with. */
@Injectable()
export class Companions {
  private readonly known = new WeakMap<Files, Companion>();

  constructor(
    private readonly pins: Pins,
    private readonly nextSessions: NextSessions,
  ) {}

  /** At once where those are the files of this process. */
  of({ files }: RunSpec): Companion | Promise<Companion> {
    const found = this.pins.of(files);
    return found instanceof Promise ? found.then((read) => this.with(read)) : this.with(found);
  }

  private with(files: Files): Companion {
    const companion = this.known.get(files) ?? new Companion(files, this.nextSessions);
    this.known.set(files, companion);
    return companion;
  }
}
