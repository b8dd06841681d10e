import { Module } from '@nestjs/common';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { rememberSecret } from '../../config/known-secrets.js';
import { version } from '../system/system.controller.js';
import { otlpHeaders } from './otlp-headers.js';
import { RunTraces, SPAN_EXPORTER } from './run-traces.js';
import type { SpanExporter } from './span-exporter.js';

/** OpenTelemetry is loaded only if a collector is configured. */
async function exporterOf(config: Config): Promise<SpanExporter | undefined> {
  const { otelExporterOtlpEndpoint: endpoint, otelServiceName: serviceName } = config;
  if (endpoint === undefined) return undefined;
  const headers = otlpHeaders(config.secretOf('OTEL_EXPORTER_OTLP_HEADERS'));
  Object.values(headers).forEach(rememberSecret);
  const { otlpExporter } = await import('./otlp-exporter.js');
  return otlpExporter({ endpoint, headers, serviceName, version });
}

/** Traces of runs. In every process: each may close a run. */
@Module({
  providers: [RunTraces, { provide: SPAN_EXPORTER, inject: [CONFIG], useFactory: exporterOf }],
  exports: [RunTraces],
})
export class TracesModule {}
