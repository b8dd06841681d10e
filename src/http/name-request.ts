import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { redactSecrets } from '../lib/redact-secrets.js';
import { REQUEST_ID } from '../lib/request-id.js';

const FORM = /^[\w.:-]{1,100}$/;

/** An id is logged as it is: one that looks like a credential is not accepted. */
const isAccepted = (sent: unknown): sent is string =>
  typeof sent === 'string' && FORM.test(sent) && redactSecrets(sent) === sent;

/**
 * Middleware: gives each request an id, that of its client or proxy if there is one. The response
 * repeats it.
 */
export const nameRequest: RequestHandler = ({ headers }, response, next) => {
  const sent = headers['x-request-id'];
  response.setHeader(REQUEST_ID, isAccepted(sent) ? sent : randomUUID());
  next();
};
