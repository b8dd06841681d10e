import { parseAllDocuments } from 'yaml';
import type { ToolRecording } from '../../domain/telemetry/records.js';

/** What `kubectl get -o yaml` begins with. */
const OBJECT = /^(?:stdout:\n)?(?:---\n)?(?=(?:apiVersion|kind|items|metadata):)/;
const MOST_CHARACTERS = 2_000_000;

/**
 * Objects that `kubectl get -o yaml` printed, as `-o json` prints them. Everything else stays as it
 * is, and so does what is no valid YAML.
 */
export function withJson(answer: ToolRecording): ToolRecording {
  const { output } = answer;
  if (!OBJECT.test(output) || output.length > MOST_CHARACTERS) return answer;
  const documents = parseAllDocuments(output.replace(OBJECT, ''), { logLevel: 'silent' });
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return answer;
  const objects = documents.map((each) => each.toJS() as unknown);
  const whole = objects.length === 1 ? objects[0] : { kind: 'List', items: objects };
  return { ...answer, output: JSON.stringify(whole, undefined, 2) };
}
