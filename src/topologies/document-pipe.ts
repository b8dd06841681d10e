import type { PipeTransform } from '@nestjs/common';
import { invalid } from '../http/parse.js';
import { parseTopologyText } from './topology-text.js';

/** The value that a body stands for; what it means is for `Topologies.parse`, which reports all its faults at once. */
export type TopologyDocument = { readonly value: unknown };

/** Takes JSON as it was parsed, and parses YAML. */
export class DocumentPipe implements PipeTransform<unknown, TopologyDocument> {
  /** @throws ConsiliumError VALIDATION_FAILED */
  transform(body: unknown): TopologyDocument {
    if (typeof body !== 'string') return { value: body };
    const parsed = parseTopologyText(body, 'body.yaml');
    if ('value' in parsed) return parsed;
    throw invalid(parsed.faults.map(({ path, message }) => ({ path: path || 'body', message })));
  }
}
