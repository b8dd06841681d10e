import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AlertStore } from '../alerts/alert-store.js';
import { ConsiliumError } from '../domain/errors.js';
import { isShownTo } from '../domain/run.js';
import { LogPort } from '../event-log/log-port.js';
import { readNodeNames } from '../event-log/read-shown-topology.js';
import { Requires } from '../http/access/requires.js';
import { Caller } from '../http/caller.js';
import { Answers, Refuses } from '../http/openapi.js';
import type { NamedEvent, RunEvent } from '../domain/events/event.js';
import { frameData } from '../domain/events/frame.js';
import { outcomeOf, type DiagnosisOutcome } from './diagnosis-outcome.js';
import { alertLines, renderPostmortem, timelineOf } from './render/postmortem.js';
import { renderMarkdown } from './render/markdown.js';
import { textOf } from './render/outcome-text.js';
import { ReportOutbox } from './report-outbox.js';
import { ReportSettings } from './report-settings.js';
import { DESTINATION_KINDS } from './reports-file.js';

const reportStates = z.object({
  items: z.array(
    z.object({
      destination: z.string(),
      kind: z.enum(DESTINATION_KINDS),
      status: z.enum(['waiting', 'sent', 'failed']),
      attempts: z.int(),
      reason: z.string().nullable().describe('Why the last attempt failed'),
    }),
  ),
});

/** Events that the timeline of a postmortem is made of. */
const PAGE = 500;
const MOST_EVENTS = 20_000;

/** The report of a run for people, and its destinations. */
@ApiTags('reports')
@Controller('executions')
@Requires('runs:read')
export class ReportsController {
  constructor(
    private readonly log: LogPort,
    private readonly outbox: ReportOutbox,
    private readonly settings: ReportSettings,
    private readonly alerts: AlertStore,
  ) {}

  @Get(':runId/reports')
  @ApiOperation({ summary: 'Where the report of a run was sent (docs/reports.md)' })
  @Answers(reportStates)
  @Refuses('RUN_NOT_FOUND')
  async states(@Param('runId') runId: string, @Caller() caller: string) {
    await this.stateOf(runId, caller);
    return { items: await this.outbox.states(runId) };
  }

  @Get(':runId/report.md')
  @Header('Content-Type', 'text/markdown; charset=utf-8')
  @ApiOperation({ summary: 'The report of a run that has ended, as Markdown' })
  @ApiProduces('text/markdown')
  @ApiResponse({ status: 200, content: { 'text/markdown': { schema: { type: 'string' } } } })
  @Refuses('RUN_NOT_FOUND', 'NOT_FOUND')
  async markdown(@Param('runId') runId: string, @Caller() caller: string): Promise<string> {
    const outcome = await this.outcomeOf(runId, caller);
    const names = await readNodeNames(this.log, runId);
    return renderMarkdown(textOf(outcome, this.settings.file.publicUrl, { whole: true, names }));
  }

  @Get(':runId/postmortem.md')
  @Header('Content-Type', 'text/markdown; charset=utf-8')
  @ApiOperation({ summary: 'A draft of a postmortem of a run that has ended, as Markdown' })
  @ApiProduces('text/markdown')
  @ApiResponse({ status: 200, content: { 'text/markdown': { schema: { type: 'string' } } } })
  @Refuses('RUN_NOT_FOUND', 'NOT_FOUND', 'RUN_EXPIRED')
  async postmortem(@Param('runId') runId: string, @Caller() caller: string): Promise<string> {
    const outcome = await this.outcomeOf(runId, caller);
    const names = await readNodeNames(this.log, runId);
    const text = textOf(outcome, this.settings.file.publicUrl, { names });
    return renderPostmortem(outcome, text, await this.timeline(runId, names));
  }

  private async timeline(runId: string, names: ReadonlyMap<string, string>) {
    const lines = alertLines((await this.alerts.alertsOf(runId)).values());
    for (let after = 0; after < MOST_EVENTS; after += PAGE) {
      const { frames } = await this.log.read(runId, after, PAGE);
      for (const frame of frames) {
        const event = JSON.parse(frameData(frame.toString())) as RunEvent;
        const name = `${event.event.category}.${event.event.action}`;
        const line = timelineOf({ ...event, name } as NamedEvent, names);
        if (line) lines.push(line);
      }
      if (frames.length < PAGE) break;
    }
    return lines;
  }

  private async outcomeOf(runId: string, caller: string): Promise<DiagnosisOutcome> {
    const state = await this.stateOf(runId, caller);
    const [terminal] = await this.log.events(runId, [state.lastSequence]);
    const outcome = outcomeOf(runId, state, terminal);
    if (!outcome) throw new ConsiliumError('NOT_FOUND', 'The run has not ended yet');
    return outcome;
  }

  private async stateOf(runId: string, caller: string) {
    const state = await this.log.state(runId);
    if (state?.head.kind === 'diagnosis' && isShownTo(caller, state.head)) return state;
    throw new ConsiliumError('RUN_NOT_FOUND', `There is no run ${runId.slice(0, 100)}`);
  }
}
