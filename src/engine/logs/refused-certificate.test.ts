import { expect, test } from '@jest/globals';
import { holderOfRefused } from './refused-certificate.js';

test.each([
  ['TLS alert received from auth: certificate_expired (45), closing', 'speaker'],
  ['SSLHandshakeException: Received fatal alert: certificate_unknown', 'speaker'],
  ['error:0A000415:SSL routines::sslv3 alert certificate expired', 'speaker'],
  ['error:0A000418:SSL routines::tlsv1 alert unknown ca', 'speaker'],
  ['remote error: tls: expired certificate', 'speaker'],
  ['PKIX path validation failed: CertPathValidatorException: validity check failed', 'far end'],
  ['tls: failed to verify certificate: x509: certificate has expired', 'far end'],
  ['SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired', 'far end'],
  ['TLS alert received from auth: handshake_failure', undefined],
  ['loaded certificate of auth', undefined],
])('"%s": the certificate of the %s is refused', (line, holder) => {
  expect(holderOfRefused(line)).toBe(holder);
});
