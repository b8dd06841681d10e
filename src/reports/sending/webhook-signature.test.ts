import { expect, it } from '@jest/globals';
import { signatureHeaders } from './webhook-signature.js';

/** The example of the specification of Standard Webhooks. */
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

it('signs as the example of the specification', () => {
  expect(signatureHeaders(ID, BODY, [SECRET], 1_614_265_330)).toEqual({
    'webhook-id': ID,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('signs with each secret while one is exchanged for another', () => {
  const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
  const headers = signatureHeaders(ID, BODY, [other, SECRET], 1);
  expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
});
