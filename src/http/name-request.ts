import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { REQUEST_ID } from '../lib/request-id.js';

const FORM = /^[\w.:-]{1,100}$/;

/** Middleware: gives each request an id, that of its client or proxy if there is one. The response repeats it. */
export const nameRequest: RequestHandler = ({ headers }, response, next) => {
  const sent = headers['x-request-id'];
  response.setHeader(REQUEST_ID, typeof sent === 'string' && FORM.test(sent) ? sent : randomUUID());
  next();
};
