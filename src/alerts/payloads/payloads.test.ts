import { describe, expect, it } from '@jest/globals';
import { MOST_ALERTS } from '../alert.js';
import { alertmanagerBody, readAlertmanager } from './alertmanager.js';
import { genericBody, readGeneric } from './generic.js';
import { pagerDutyBody, readPagerDuty } from './pagerduty.js';

/** A notification as Alertmanager 0.25 sends it. */
const notification = {
  receiver: 'consilium',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'HighLatency', job: 'api' },
      annotations: { summary: 'p99 above 1 s' },
      startsAt: '2026-11-22T12:00:00.000Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus:9090/graph?g0.expr=x',
      fingerprint: '41b1e1f0d0a1c3d2',
    },
  ],
  groupLabels: { alertname: 'HighLatency' },
  commonLabels: {},
  commonAnnotations: {},
  externalURL: 'http://alertmanager:9093',
  version: '4',
  groupKey: '{}:{alertname="HighLatency"}',
  truncatedAlerts: 2,
};
const alertmanager = (body: unknown) =>
  readAlertmanager('alertmanager', alertmanagerBody.parse(body));

describe('a notification of Alertmanager', () => {
  it('becomes alerts', () => {
    const { alerts, leftOff } = alertmanager(notification);
    expect(leftOff).toBe(2);
    expect(alerts).toEqual([
      {
        fingerprint: '41b1e1f0d0a1c3d2',
        status: 'firing',
        name: 'HighLatency',
        labels: { alertname: 'HighLatency', job: 'api' },
        annotations: {
          summary: 'p99 above 1 s',
          generatorURL: 'http://prometheus:9090/graph?g0.expr=x',
        },
        startsAt: '2026-11-22T12:00:00.000Z',
      },
    ]);
  });

  it('has the end of an alert that has resolved', () => {
    const endsAt = '2026-11-22T12:30:00.000Z';
    const alerts = [{ ...notification.alerts[0], status: 'resolved', endsAt }];
    expect(alertmanager({ alerts }).alerts).toMatchObject([{ status: 'resolved', endsAt }]);
  });

  it('is bounded in alerts, labels and characters, and cleaned of control characters', () => {
    const labels = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`l${i}`, `${'x'.repeat(5_000)}\u0007\u202e\n`]),
    );
    const alert = { ...notification.alerts[0], labels, fingerprint: undefined };
    const { alerts, leftOff } = alertmanager({
      alerts: [alert, ...Array<unknown>(1_199).fill({ ...alert, labels: {} })],
    });
    expect([alerts.length, leftOff]).toEqual([MOST_ALERTS, 200]);
    expect(Object.keys(alerts[0]?.labels ?? {})).toHaveLength(64);
    expect(alerts[0]?.labels['l0']).toBe('x'.repeat(1_000));
    expect(alerts[0]?.name).toBe('alert without a name');
    expect(alerts[0]?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([[{}], [{ alerts: {} }], [{ alerts: [{ labels: {} }] }], [{ alerts: [1] }]])(
    'is refused as %j',
    (body) => expect(alertmanagerBody.safeParse(body).success).toBe(false),
  );
});

describe('an event of PagerDuty', () => {
  const delivery = (event_type: string, occurred_at = '2026-11-22T12:00:00Z') =>
    readPagerDuty(
      pagerDutyBody.parse({
        event: {
          id: '5ac64822',
          event_type,
          occurred_at,
          data: {
            id: 'PT4KHLK',
            title: 'The server is on fire.',
            urgency: 'high',
            service: { id: 'PIJ90N7', summary: 'My Mail Service' },
            incident_key: null,
          },
        },
      }),
      Date.parse('2026-11-22T13:00:00Z'),
    );
  const event = (type: string) => delivery(type).alerts;

  it('fires or resolves by its type', () => {
    expect(event('incident.triggered')).toEqual([
      expect.objectContaining({
        fingerprint: 'PT4KHLK',
        status: 'firing',
        name: 'The server is on fire.',
        labels: {
          alertname: 'The server is on fire.',
          service: 'My Mail Service',
          service_id: 'PIJ90N7',
          urgency: 'high',
        },
      }),
    ]);
    expect(event('incident.resolved')[0]).toMatchObject({
      status: 'resolved',
      endsAt: '2026-11-22T12:00:00Z',
    });
  });

  it.each([
    ['incident.acknowledged', undefined, 'an event incident.acknowledged begins or ends no'],
    ['pagey.ping', undefined, 'an event pagey.ping begins or ends no incident'],
    [
      'incident.triggered',
      '2026-11-21T12:59:00Z',
      'the event is not of the last day: occurred_at is',
    ],
    [
      'incident.triggered',
      'yesterday',
      'the event is not of the last day: occurred_at is yesterday',
    ],
  ])('has no alert if it is %s of %s, and says why', (type, occurredAt, reason) => {
    expect(delivery(type, occurredAt)).toMatchObject({
      alerts: [],
      reason: expect.stringContaining(reason),
    });
  });
});

describe('a generic alert', () => {
  it('needs only a title', () => {
    const { alerts } = readGeneric(genericBody.parse({ alerts: [{ title: 'Disk full' }] }));
    expect(alerts).toEqual([
      {
        name: 'Disk full',
        status: 'firing',
        labels: { alertname: 'Disk full' },
        annotations: {},
        startsAt: '',
        fingerprint: expect.any(String),
      },
    ]);
  });

  it('is refused in more than a thousand', () => {
    const alerts = Array.from({ length: 1_001 }, () => ({ title: 'x' }));
    expect(genericBody.safeParse({ alerts }).success).toBe(false);
  });
});
