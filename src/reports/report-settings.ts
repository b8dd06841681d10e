import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { serversOf } from '../redis/redis-url.js';
import { Instruments } from '../ops/telemetry/instruments.js';
import { EgressPolicy } from '../tools/egress/egress-policy.js';
import { REPORTS_FILE } from './reports-file-token.js';
import type { Destination, ReportsFile } from './reports-file.js';

/**
 * The operator's settings for reports: their destinations, and the allowed targets of connections.
 */
@Injectable()
export class ReportSettings {
  readonly egress: EgressPolicy;

  constructor(
    @Inject(REPORTS_FILE) readonly file: ReportsFile,
    @Inject(CONFIG) { egressAllow, egressDeny, redisUrl }: Config,
    private readonly instruments: Instruments,
  ) {
    this.egress = EgressPolicy.of(egressAllow, egressDeny, serversOf(redisUrl));
  }

  destination(id: string): Destination | undefined {
    return this.file.destinations.find((each) => each.id === id);
  }

  /** Counts an attempt to send a report. */
  count(kind: Destination['kind'], outcome: string): void {
    this.instruments.reports.inc({ kind, outcome });
  }
}
