import { createHmac } from 'node:crypto';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { beforeEach, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import type { Config } from '../config/config.js';
import { RequestAdmission } from '../http/access/admission.js';
import {
  LOCAL,
  principalOf,
  setPrincipal,
  SIGNER,
  type Principal,
} from '../http/access/principal.js';
import type { AuditRequests } from '../http/audit/audit-requests.js';
import type { RateLimits } from '../http/limits/rate-limits.js';
import type { StreamLeases } from '../http/limits/stream-leases.js';
import { keepRawBody } from '../http/request-checks/raw-bodies.js';
import { AlertsGuard, From } from './alerts.guard.js';

const NOW = 1_800_000_000_000;
const BODY = Buffer.from('{"alerts":[]}');

/** What was counted and what was audited, by the name of the principal. */
let [counted, audited]: [string[], string[]] = [[], []];
beforeEach(() => void ([counted, audited] = [[], []]));

/** @param forged a rate that is used up */
async function ask(
  principal: Principal,
  secret?: string,
  forged?: string,
  references = ['${env:ALERTS}'],
): Promise<string> {
  const t = NOW / 1_000;
  const hmac = createHmac('sha256', secret ?? '').update(`${t}.${BODY.toString()}`);
  const request = {
    headers: { 'x-consilium-signature': `t=${t},v1=${hmac.digest('hex')}` },
    socket: {},
  } as unknown as Request;
  keepRawBody(request, BODY);
  setPrincipal(request, principal);
  const handler = () => undefined;
  From('generic')(handler);
  const context = {
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({}) as Response }),
    getHandler: () => handler,
  } as unknown as ExecutionContext;
  const rates = {
    take: async (rate: string) => {
      counted.push(rate);
      if (rate === forged) throw new Error('too many');
    },
  };
  const audits = {
    watch: (_: Request, _response: Response, action: string) =>
      void audited.push(`${principalOf(request).name} ${action}`),
    failedLogin: () => void audited.push('failed'),
  };
  const guard = new AlertsGuard(
    new Reflector(),
    {
      stormSeconds: 60,
      quietMinutes: 30,
      routes: [],
      secrets: secret === undefined ? {} : { generic: references },
    },
    { secretOf: (name: string) => (name === 'ALERTS' ? 'right' : undefined) } as unknown as Config,
    { now: () => NOW },
    new RequestAdmission(
      rates as unknown as RateLimits,
      {} as StreamLeases,
      audits as unknown as AuditRequests,
    ),
  );
  return guard.canActivate(context).then(
    () => 'admitted',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
}

const trigger: Principal = { tenant: 'acme', name: 'ann', role: 'trigger' };

it.each<[string, Principal, string | undefined, string, string[], string[]]>([
  ['a signed sender', SIGNER, 'right', 'admitted', ['requests', 'alerts'], ['generic runs:start']],
  // Its request was counted when its credential was checked.
  ['a credential', trigger, undefined, 'admitted', ['alerts'], ['ann runs:start']],
  [
    'a role that is too low',
    { ...trigger, role: 'viewer' },
    undefined,
    'FORBIDDEN',
    [],
    ['ann runs:start'],
  ],
  ['a bad signature', SIGNER, 'wrong', 'UNAUTHENTICATED', ['signatures'], ['failed']],
  // Without authentication, there is no audit log.
  ['a bad signature of any sender', LOCAL, 'wrong', 'UNAUTHENTICATED', [], []],
  ['any sender where there is no authentication', LOCAL, undefined, 'admitted', [], []],
])('counts and audits %s', async (_, principal, secret, outcome, rates, audits) => {
  expect(await ask(principal, secret)).toBe(outcome);
  expect([counted, audited]).toEqual([rates, audits]);
});

it('audits no more bad signatures of an address than it may try credentials', async () => {
  expect(await ask(SIGNER, 'wrong', 'signatures')).toBe('UNAUTHENTICATED');
  expect(audited).toEqual([]);
});

it('takes a good signature while another secret of the sender cannot be read', async () => {
  const both = ['${env:GONE}', '${env:ALERTS}'];
  expect(await ask(SIGNER, 'right', undefined, both)).toBe('admitted');
  const unread = 'the credential ${env:GONE} is missing or empty';
  expect(await ask(SIGNER, 'wrong', undefined, both)).toBe(unread);
});
