import type { IncomingMessage } from 'node:http';

/** Paths whose senders may sign the bytes of the body. */
const SIGNED = /^\/api\/service\/v1\/alerts\/(?:grafana|pagerduty|generic)\/?$/i;

const bodies = new WeakMap<IncomingMessage, Buffer>();

export const isSignedPath = (path: string): boolean => SIGNED.test(path);

/** Keeps the bytes of a body while its request is handled. */
export const keepRawBody = (request: IncomingMessage, bytes: Buffer): void =>
  void bodies.set(request, bytes);

/** The bytes of the body of a request to a signed path; none of a request without a body. */
export const rawBodyOf = (request: IncomingMessage): Buffer =>
  bodies.get(request) ?? Buffer.alloc(0);
