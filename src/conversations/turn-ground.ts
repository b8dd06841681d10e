import { Injectable } from '@nestjs/common';
import { Behaviours } from '../behaviours/behaviours.js';
import { NO_TOPOLOGY } from '../domain/chat/chat.js';
import type { EventData } from '../domain/events/event.js';
import { ConsiliumError } from '../domain/errors.js';
import { resolveLimits } from '../domain/limits/limits.js';
import { LogPort } from '../event-log/log-port.js';
import { isShownTo, type RunSpec } from '../domain/run.js';
import { tenantOf } from '../domain/tenant.js';
import { invalid } from '../http/parse.js';
import { redactSecrets } from '../lib/redact-secrets.js';
import { quote } from '../lib/text.js';
import { Models } from '../models/models.js';
import type { StoredTopology } from '../topologies/stored-topology.js';
import { Topologies } from '../topologies/topologies.js';
import { AgentConfig } from './agent-config.js';
import type { OracleRequest } from './oracle-request.js';

export type Warning = EventData['system.warning'];

/** The input of a turn, apart from its conversation. */
export interface Ground {
  spec: RunSpec;
  /** The run that it is about. */
  about: string | undefined;
  /** Undefined: the default. */
  model: string | undefined;
  /** tokens */
  contextWindow: number;
  /** Requested names that are replaced by defaults. */
  warnings: Warning[];
}

const NONE = { topology: NO_TOPOLOGY, version: 0 };
const warning = (code: string, message: string): Warning => ({ message, code });

/** Model, topology, behaviour and limits of turns. */
@Injectable()
export class TurnGround {
  constructor(
    private readonly topologies: Topologies,
    private readonly behaviours: Behaviours,
    private readonly models: Models,
    private readonly settings: AgentConfig,
    private readonly log: LogPort,
  ) {}

  /**
   * @param kept the topology of the exchange that the turn continues, where it names none itself
   * @throws ConsiliumError TOPOLOGY_NOT_FOUND, RUN_NOT_FOUND, VALIDATION_FAILED; a lenient turn
   *   gets the defaults and warnings instead
   */
  async of(owner: string, turn: OracleRequest, kept: number | undefined): Promise<Ground> {
    const warnings: Warning[] = [];
    const model = this.model(turn, warnings);
    const about = await this.about(owner, turn, warnings);
    const { topology, version } = await this.topology(
      tenantOf(owner),
      { ...turn, kept: about?.topologyId ?? kept },
      warnings,
    );
    const behaviours = this.behaviours.pinOracle();
    const wanted = turn.tokenBudget === undefined ? {} : { tokenBudget: turn.tokenBudget };
    const spec: RunSpec = {
      kind: 'chat',
      owner,
      topology,
      topologyVersion: version,
      behaviours,
      blackboards: this.behaviours.blackboards(behaviours),
      userMessage: redactSecrets(turn.message),
      limits: resolveLimits('chat', topology.limits, await this.settings.of(owner), wanted),
      onDisconnect: turn.onDisconnect ?? 'continue',
      ...(turn.startedBy !== undefined && { startedBy: turn.startedBy }),
      ...(turn.traceparent !== undefined && { traceparent: turn.traceparent }),
    };
    const { contextWindow } = this.models.get(model) ?? this.models.default;
    return { spec, about: about?.runId, model, contextWindow, warnings };
  }

  private model({ model, lenient }: OracleRequest, warnings: Warning[]): string | undefined {
    if (model === undefined || this.models.get(model)) return model;
    if (!lenient)
      throw invalid([
        { path: 'model', message: 'is not the name of a model; see GET /api/service/v1/models' },
      ]);
    const { name } = this.models.default;
    warnings.push(
      warning(
        'UNKNOWN_MODEL',
        `There is no model ${quote(model)}; ${quote(name)} answers instead.`,
      ),
    );
    return undefined;
  }

  /** The diagnosis that the person looks at. Questions about chats are not supported. */
  private async about(
    owner: string,
    { runId, lenient }: OracleRequest,
    warnings: Warning[],
  ): Promise<{ runId: string; topologyId: number } | undefined> {
    if (runId === undefined) return undefined;
    const state = await this.log.state(runId);
    if (state?.head.kind === 'diagnosis' && isShownTo(owner, state.head))
      return { runId, topologyId: state.head.topologyId };
    const message = `There is no diagnosis ${runId}`;
    if (!lenient) throw new ConsiliumError('RUN_NOT_FOUND', message);
    warnings.push(warning('UNKNOWN_RUN', `${message}; the answer is not about it.`));
    return undefined;
  }

  private async topology(
    tenant: string,
    { topologyId, unknownTopology, lenient, kept }: OracleRequest & { kept: number | undefined },
    warnings: Warning[],
  ): Promise<Pick<StoredTopology, 'topology' | 'version'>> {
    if (topologyId !== undefined && !lenient) return this.topologies.get(tenant, topologyId);
    const named = topologyId === undefined ? unknownTopology : String(topologyId);
    const found = topologyId === undefined ? undefined : await this.find(tenant, topologyId);
    if (found) return found;
    // The topology of earlier messages may have been deleted since.
    const used = kept === undefined ? undefined : await this.find(tenant, kept);
    if (named !== undefined) {
      const about = used ? `topology ${used.topology.id}, as before` : 'all topologies';
      warnings.push(
        warning(
          'UNKNOWN_TOPOLOGY',
          `There is no topology ${quote(named)}; the answer is about ${about}.`,
        ),
      );
    }
    return used ?? NONE;
  }

  private async find(tenant: string, id: number): Promise<StoredTopology | undefined> {
    try {
      return await this.topologies.get(tenant, id);
    } catch (error) {
      if (error instanceof ConsiliumError && error.code === 'TOPOLOGY_NOT_FOUND') return undefined;
      throw error;
    }
  }
}
