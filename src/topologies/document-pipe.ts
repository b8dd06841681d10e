import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { callerOf } from '../http/caller.js';
import { invalid } from '../http/parse.js';
import { parseInThread } from './parse-in-thread.js';
import { tooManyValues, type ParsedText } from './topology-text.js';

/** The value of a body. `Topologies.parse` validates it and reports all faults at once. */
export type TopologyDocument = { readonly value: unknown };

interface SentDocument {
  body: unknown;
  caller: string;
}

/**
 * Passes parsed JSON on, and parses YAML. A body with too many values is refused before it is
 * validated.
 * @internal Exported for tests.
 */
export class DocumentPipe implements PipeTransform<SentDocument, Promise<TopologyDocument>> {
  /** @throws ConsiliumError VALIDATION_FAILED, UNAVAILABLE */
  async transform({ body, caller }: SentDocument): Promise<TopologyDocument> {
    const parsed = typeof body === 'string' ? await parseInThread(body, caller) : bounded(body);
    if ('value' in parsed) return parsed;
    throw invalid(parsed.faults.map(({ path, message }) => ({ path: path || 'body', message })));
  }
}

function bounded(value: unknown): ParsedText {
  const faults = tooManyValues(value);
  return faults.length > 0 ? { faults } : { value };
}

const sentBody = createParamDecorator((_: unknown, context: ExecutionContext): SentDocument => {
  const request = context.switchToHttp().getRequest<Request>();
  return { body: request.body as unknown, caller: callerOf(request) };
});

/** Parameter of a controller method: the {@link TopologyDocument} of the body. */
export const SentTopology = () => sentBody(new DocumentPipe());
