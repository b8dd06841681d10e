import { Injectable } from '@nestjs/common';
import type { Principal } from '../http/access/principal.js';
import { Instruments } from '../ops/telemetry/instruments.js';
import type { AlertDelivery } from './alert.js';
import { AlertIntake } from './alert-intake.js';
import { AlertStore } from './alert-store.js';
import type { DeliveryAnswer } from './alert-views.js';

/**
 * Counts deliveries, and answers a signed one that is repeated as before, without handling it
 * again.
 */
@Injectable()
export class Deliveries {
  constructor(
    private readonly store: AlertStore,
    private readonly intake: AlertIntake,
    private readonly instruments: Instruments,
  ) {}

  /** @param id of the delivery; undefined: it is handled whenever it comes */
  async receive(
    delivery: AlertDelivery,
    principal: Principal,
    id: string | undefined,
  ): Promise<{ answer: DeliveryAnswer; isRepeated: boolean }> {
    const { source } = delivery;
    const { alerts } = this.instruments;
    const known = id === undefined ? undefined : await this.store.answered(id);
    if (known !== undefined) {
      alerts.inc({ source, outcome: 'repeated' }, delivery.alerts.length);
      return { answer: JSON.parse(known) as DeliveryAnswer, isRepeated: true };
    }
    const answer = await this.intake.receive(delivery, principal);
    if (id !== undefined) await this.store.rememberAnswer(id, JSON.stringify(answer));
    alerts.inc({ source, outcome: 'ignored' }, answer.ignored);
    alerts.inc({ source, outcome: 'taken' }, answer.received - answer.ignored);
    return { answer, isRepeated: false };
  }
}
