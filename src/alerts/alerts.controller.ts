import { applyDecorators, Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { CurrentPrincipal, type Principal } from '../http/access/principal.js';
import { Public } from '../http/access/requires.js';
import { Answers, Refuses, Takes } from '../http/openapi.js';
import { ZodPipe } from '../http/zod-pipe.js';
import { Clock } from '../lib/clock.js';
import type { AlertSource } from './alert.js';
import { deliveryAnswer } from './alert-views.js';
import { AlertsGuard, DeliveryId, From } from './alerts.guard.js';
import { Deliveries } from './deliveries.js';
import { alertmanagerBody, readAlertmanager } from './payloads/alertmanager.js';
import { genericBody, readGeneric } from './payloads/generic.js';
import { pagerDutyBody, readPagerDuty } from './payloads/pagerduty.js';

/** A route that receives the alerts of one sender. */
const Receives = (source: AlertSource, body: z.ZodType, summary: string): MethodDecorator =>
  applyDecorators(
    Post(source),
    From(source),
    ApiOperation({
      summary,
      description:
        'Starts a diagnosis of each topology that the alerts concern, or joins the one that runs. The same delivery can be sent again.',
    }),
    Takes(body),
    Refuses('UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED'),
    Answers(deliveryAnswer, { status: 202, message: 'Accepted' }),
  );

/** Alerts of monitoring systems (docs/alerts.md). Their guard knows credentials and signatures. */
@ApiTags('alerts')
@Controller('alerts')
@Public()
@UseGuards(AlertsGuard)
export class AlertsController {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly clock: Clock,
  ) {}

  @Receives('alertmanager', alertmanagerBody, 'Receive a webhook of Alertmanager')
  alertmanager(
    @Body(new ZodPipe(alertmanagerBody)) body: z.infer<typeof alertmanagerBody>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return this.deliveries.receive(readAlertmanager('alertmanager', body), principal, undefined);
  }

  @Receives('grafana', alertmanagerBody, 'Receive a webhook of Grafana')
  grafana(
    @Body(new ZodPipe(alertmanagerBody)) body: z.infer<typeof alertmanagerBody>,
    @CurrentPrincipal() principal: Principal,
    @DeliveryId() id: string | undefined,
  ) {
    return this.deliveries.receive(readAlertmanager('grafana', body), principal, id);
  }

  @Receives('pagerduty', pagerDutyBody, 'Receive a webhook of PagerDuty (version 3)')
  pagerduty(
    @Body(new ZodPipe(pagerDutyBody)) body: z.infer<typeof pagerDutyBody>,
    @CurrentPrincipal() principal: Principal,
    @DeliveryId() id: string | undefined,
  ) {
    return this.deliveries.receive(readPagerDuty(body, this.clock.now()), principal, id);
  }

  @Receives('generic', genericBody, 'Receive alerts of any program')
  generic(
    @Body(new ZodPipe(genericBody)) body: z.infer<typeof genericBody>,
    @CurrentPrincipal() principal: Principal,
    @DeliveryId() id: string | undefined,
  ) {
    return this.deliveries.receive(readGeneric(body), principal, id);
  }
}
