import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { isSecretReference, readSecret } from '../config/secrets.js';
import { LogPort } from '../event-log/log-port.js';
import { readNodeNames } from '../event-log/read-shown-topology.js';
import { EgressDeniedError } from '../tools/egress/egress-policy.js';
import { GoneDestinations } from './gone-destinations.js';
import { outcomeOf, type DiagnosisOutcome } from './diagnosis-outcome.js';
import { renderAnnotation } from './render/annotation.js';
import { textOf } from './render/outcome-text.js';
import { renderPlain } from './render/plain.js';
import { renderSlack } from './render/slack.js';
import { renderWebhook } from './render/webhook.js';
import { ReportQueue, type SendResult, type TakenReport } from './report-queue.js';
import type { Destination } from './reports-file.js';
import { ReportSettings } from './report-settings.js';
import { postMessage, type PostRequest, type PostResponse } from './sending/post-message.js';
import { signatureHeaders } from './sending/webhook-signature.js';

const CHAT_CHARACTERS = 4_000;
const GONE = 410;

/**
 * Sends the report of a run to a destination. The message is built from the log, and is the same at
 * each attempt.
 */
@Injectable()
export class ReportSender implements OnApplicationBootstrap {
  constructor(
    private readonly log: LogPort,
    private readonly queue: ReportQueue,
    private readonly gone: GoneDestinations,
    private readonly settings: ReportSettings,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api' && this.settings.file.destinations.length > 0)
      this.queue.consume((job) => this.send(job));
  }

  async send(job: TakenReport): Promise<SendResult> {
    const destination = this.settings.destination(job.destination);
    if (!destination) return dropped('REPORTS_FILE no longer lists this destination');
    const attempted = await this.attempt(destination, job);
    this.settings.count(destination.kind, attempted.kind);
    return attempted;
  }

  private async attempt(
    destination: Destination,
    { runId, attempt, signal }: TakenReport,
  ): Promise<SendResult> {
    const { file, egress } = this.settings;
    const { id } = destination;
    try {
      const outcome = await this.outcome(runId);
      if (!outcome) return dropped('the outcome of the run is no longer kept');
      const url = await this.valueOf(destination.url);
      if (await this.gone.has(id, url)) return dropped('the destination has answered 410 Gone');
      const message = await this.messageTo(destination, url, outcome, attempt);
      const timeoutMs = file.timeoutSeconds * 1_000;
      const posted = await postMessage(message, { egress, timeoutMs, signal });
      if (posted.status === GONE) await this.gone.add(id, url);
      return attempted(posted);
    } catch (error) {
      if (error instanceof EgressDeniedError) return dropped(`EGRESS_DENIED: ${error.rule}`);
      return { kind: 'again', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  private async outcome(runId: string): Promise<DiagnosisOutcome | undefined> {
    const state = await this.log.state(runId);
    if (!state) return undefined;
    const [terminal] = await this.log.events(runId, [state.lastSequence]);
    return outcomeOf(runId, state, terminal);
  }

  private async messageTo(
    { kind, id, secrets = [] }: Destination,
    url: string,
    outcome: DiagnosisOutcome,
    attempt: number,
  ): Promise<PostRequest> {
    const { publicUrl } = this.settings.file;
    const text = textOf(outcome, publicUrl, {
      names: await readNodeNames(this.log, outcome.runId),
    });
    const repeated =
      attempt === 1 ? undefined : `Attempt ${attempt}: this message may have come before.`;
    const json = (value: unknown) => ({ url, body: JSON.stringify(value), headers: {} });
    switch (kind) {
      case 'webhook': {
        const body = renderWebhook(outcome, publicUrl);
        const keys = await Promise.all(secrets.map((secret) => this.valueOf(secret)));
        const seconds = Math.floor(Date.now() / 1_000);
        const signed = signatureHeaders(`${outcome.runId}.${id}`, body, keys, seconds);
        return { url, body, headers: { ...signed, 'webhook-attempt': String(attempt) } };
      }
      case 'slack':
        return json(renderSlack(text, repeated));
      case 'chat': {
        const shown = repeated === undefined ? '' : `${repeated}\n`;
        return json({ text: `${shown}${renderPlain(text, CHAT_CHARACTERS)}` });
      }
      case 'alertmanager':
        // The same alert again changes nothing.
        return {
          ...json(renderAnnotation(outcome, text)),
          url: `${url.replace(/\/+$/, '')}/api/v2/alerts`,
        };
    }
  }

  private valueOf(text: string): Promise<string> {
    return isSecretReference(text) ? readSecret(text, this.config.secretOf) : Promise.resolve(text);
  }
}

const dropped = (reason: string): SendResult => ({ kind: 'dropped', reason });

function attempted({ status, retryAfterSeconds }: PostResponse): SendResult {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const reason = `the destination answered ${status}`;
  if (status === GONE) return dropped(`${reason} Gone: it gets no more reports`);
  return { kind: 'again', reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}
