import { Injectable } from '@nestjs/common';
import { AlertStore } from './alert-store.js';
import type { DeliveryAnswer } from './alert-views.js';

/** Answers a signed delivery that is repeated as before, without handling it again. */
@Injectable()
export class Deliveries {
  constructor(private readonly store: AlertStore) {}

  /** @param id of the delivery; undefined: it is handled whenever it comes */
  async once(
    id: string | undefined,
    handle: () => Promise<DeliveryAnswer>,
  ): Promise<DeliveryAnswer> {
    const known = id === undefined ? undefined : await this.store.answered(id);
    if (known !== undefined) return JSON.parse(known) as DeliveryAnswer;
    const answer = await handle();
    if (id !== undefined) await this.store.rememberAnswer(id, JSON.stringify(answer));
    return answer;
  }
}
