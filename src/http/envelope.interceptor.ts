import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { success, type Envelope } from '../domain/envelope.js';

/** Wraps the result of a method in the envelope of contract section 3. */
export class EnvelopeInterceptor implements NestInterceptor<unknown, Envelope<unknown>> {
  constructor(private readonly message: string) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<Envelope<unknown>> {
    return next.handle().pipe(map((data) => success(data, this.message)));
  }
}
