import type { PipeTransform } from '@nestjs/common';
import { invalid } from '../http/parse.js';
import { parseTopologyText } from './topology-text.js';

/** The value of a body. `Topologies.parse` validates it and reports all faults at once. */
export type TopologyDocument = { readonly value: unknown };

/** Passes parsed JSON on, and parses YAML. */
export class DocumentPipe implements PipeTransform<unknown, TopologyDocument> {
  /** @throws ConsiliumError VALIDATION_FAILED */
  transform(body: unknown): TopologyDocument {
    if (typeof body !== 'string') return { value: body };
    const parsed = parseTopologyText(body, 'body.yaml');
    if ('value' in parsed) return parsed;
    throw invalid(parsed.faults.map(({ path, message }) => ({ path: path || 'body', message })));
  }
}
