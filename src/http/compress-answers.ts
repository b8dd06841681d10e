import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { NextFunction, Request, Response } from 'express';

/** Bytes below which a response is sent uncompressed. */
const LEAST = 1_024;
/** The default of Brotli is for files that are compressed once. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/;

/**
 * Compresses JSON by Brotli or gzip for clients that accept it. Event streams are not compressed
 * (contract section 2), and neither are responses to other methods, which may contain a new secret.
 * The `ETag` is that of the uncompressed text.
 */
export function compressAnswers(request: Request, response: Response, next: NextFunction): void {
  if (request.method !== 'GET') return next();
  const send = response.send.bind(response);
  response.send = (body: unknown) => {
    if (typeof body !== 'string' || !JSON_TYPE.test(response.get('content-type') ?? ''))
      return send(body);
    response.vary('Accept-Encoding');
    const encoding = request.acceptsEncodings('br', 'gzip');
    const text = Buffer.from(body);
    if (text.length < LEAST || encoding === false) return send(body);
    const etagOf = response.app.get('etag fn') as ((body: Buffer) => string) | undefined;
    if (etagOf && response.get('etag') === undefined) response.set('ETag', etagOf(text));
    if (request.fresh) return send(body);
    const packed = encoding === 'br' ? toBrotli(text, FAST) : toGzip(text);
    packed.then((bytes) => {
      response.set('Content-Encoding', encoding);
      send(bytes);
    }, next);
    return response;
  };
  next();
}
