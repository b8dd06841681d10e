import { applyDecorators, Body, Controller, Post, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { z } from 'zod';
import { CurrentPrincipal, type Principal } from '../http/access/principal.js';
import { Public } from '../http/access/requires.js';
import { setAuditObject } from '../http/audit/audit-requests.js';
import { Answers, Takes } from '../http/openapi.js';
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
const Receives = <Body extends z.ZodType>(
  source: AlertSource,
  { body, example }: { body: Body; example: z.input<Body> },
  summary: string,
): MethodDecorator =>
  applyDecorators(
    Post(source),
    From(source),
    ApiOperation({
      summary,
      description:
        'Starts a diagnosis of each topology that the alerts concern, or joins the one that runs. The same delivery can be sent again.',
    }),
    Takes(body, example),
    Answers(deliveryAnswer, { status: 202, message: 'Accepted' }),
  );

const ALERTMANAGER = {
  body: alertmanagerBody,
  example: {
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'CheckoutSlow', service: 'checkout' },
        startsAt: '2026-11-20T12:30:00Z',
      },
    ],
  },
};
const PAGERDUTY = {
  body: pagerDutyBody,
  example: {
    event: {
      id: '01DVUHO6P4XQDFJ9ODUTFVEXAM',
      event_type: 'incident.triggered',
      occurred_at: '2026-11-20T12:30:00Z',
      data: { id: 'PGR0VU2', title: 'Checkout is slow' },
    },
  },
};
const GENERIC = {
  body: genericBody,
  example: {
    alerts: [
      { status: 'firing' as const, title: 'Checkout is slow', labels: { service: 'checkout' } },
    ],
  },
};

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

  @Receives('alertmanager', ALERTMANAGER, 'Receive a webhook of Alertmanager')
  alertmanager(
    @Body(new ZodPipe(alertmanagerBody)) body: z.infer<typeof alertmanagerBody>,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.receive(response, readAlertmanager('alertmanager', body), principal, undefined);
  }

  @Receives('grafana', ALERTMANAGER, 'Receive a webhook of Grafana')
  grafana(
    @Body(new ZodPipe(alertmanagerBody)) body: z.infer<typeof alertmanagerBody>,
    @CurrentPrincipal() principal: Principal,
    @DeliveryId() id: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.receive(response, readAlertmanager('grafana', body), principal, id);
  }

  @Receives('pagerduty', PAGERDUTY, 'Receive a webhook of PagerDuty (version 3)')
  pagerduty(
    @Body(new ZodPipe(pagerDutyBody)) body: z.infer<typeof pagerDutyBody>,
    @CurrentPrincipal() principal: Principal,
    @DeliveryId() id: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.receive(response, readPagerDuty(body, this.clock.now()), principal, id);
  }

  @Receives('generic', GENERIC, 'Receive alerts of any program')
  generic(
    @Body(new ZodPipe(genericBody)) body: z.infer<typeof genericBody>,
    @CurrentPrincipal() principal: Principal,
    @DeliveryId() id: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.receive(response, readGeneric(body), principal, id);
  }

  private async receive(response: Response, ...delivered: Parameters<Deliveries['receive']>) {
    const { answer, isRepeated } = await this.deliveries.receive(...delivered);
    const runs = answer.runs.map((run) => `${isRepeated ? 'repeated' : run.outcome} ${run.runId}`);
    if (runs.length > 0) setAuditObject(response, runs.join(', '));
    return answer;
  }
}
