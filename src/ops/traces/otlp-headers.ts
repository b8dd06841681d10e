/**
 * Parses OTEL_EXPORTER_OTLP_HEADERS: `name=value,name=value`, percent-encoded.
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @throws URIError if a value is not percent-encoded text
 */
export const otlpHeaders = (text: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (text ?? '').split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, at).trim();
      return at <= 0 || name === '' ? [] : [[name, decodeURIComponent(pair.slice(at + 1).trim())]];
    }),
  );
