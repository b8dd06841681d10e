import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Brief } from '../../../domain/prompt/brief.js';
import { refusalToRepeat, refusalToStart } from '../../../domain/chat/started-diagnoses.js';
import { leastRoleFor } from '../../../domain/roles.js';
import { RefusedError } from '../../../domain/errors.js';
import type { JsonObject } from '../../../lib/json.js';
import type { RunSpec } from '../../../domain/run.js';
import { ToolRegistry } from '../../../tools/tool-registry.js';
import { checkArgs } from '../../runtime/check-args.js';
import type { OfferedTool } from '../../../domain/prompt/offered-tool.js';
import { briefNodes, firstLookAt } from '../brief-nodes.js';
import type { OwnContext, OwnResult, RoleBehaviour } from '../role-behaviour.js';
import { Diagnoses } from './diagnoses.js';
import { hideAddresses } from './hide-addresses.js';
import { Lookup } from './lookup.js';
import {
  isOracleTool,
  mayAskFor,
  offeredTo,
  ORACLE_TOOLS,
  refusedTo,
  type OracleTool,
} from './oracle-tools.js';

type Args<Name extends OracleTool> = z.infer<(typeof ORACLE_TOOLS)[Name]['args']>;

/** The oracle: looks things up, starts diagnoses, answers. */
@Injectable()
export class OracleBehaviour implements RoleBehaviour {
  readonly speaksOnce = true;
  /** The offered tools do not change in a run, so they are cached by its specification. */
  private readonly fitting = new WeakMap<RunSpec, string[]>();

  constructor(
    private readonly registry: ToolRegistry,
    private readonly lookup: Lookup,
    private readonly diagnoses: Diagnoses,
  ) {}

  brief(spec: RunSpec): Brief {
    const { topology, chat } = spec;
    const look = this.diagnostic(spec).flatMap((name) => this.registry.get(name) ?? []);
    const nodes = briefNodes(topology).map((node, i) => {
      const whole = topology.nodes[i];
      const firstLook = whole ? firstLookAt(whole, look, topology.sources) : [];
      const isOfService = firstLook.some(({ tool }) =>
        look.some((each) => each.name === tool && each.measures(node) === 'service'),
      );
      const isReachedOnly = firstLook.length > 0 && !isOfService;
      return { ...node, firstLook, ...(isReachedOnly && { reachedOnly: true as const }) };
    });
    const needsRole = refusedTo(chat);
    return {
      role: 'oracle',
      ...(chat?.about !== undefined && { run: chat.about }),
      topology: topology.id === 0 ? null : { id: topology.id, name: topology.name, nodes },
      thinking: chat?.thinking ?? false,
      ...(Object.keys(needsRole).length > 0 && { needsRole }),
    };
  }

  tools(spec: RunSpec): OfferedTool[] {
    const look = this.diagnostic(spec).flatMap((name) => this.registry.offer(name) ?? []);
    return [...offeredTo(spec.chat), ...look];
  }

  /** The tools that only read, for the nodes of the chat's topology. */
  diagnostic(spec: RunSpec): string[] {
    const { sources } = spec.chat ?? {};
    if (sources && !sources.includes('tools')) return [];
    if (!mayAskFor('tools:run', spec.chat)) return [];
    let names = this.fitting.get(spec);
    if (!names) {
      const { nodes, sources: telemetry } = spec.topology;
      const fits = this.registry.all.filter(
        (tool) => tool.access === 'read' && nodes.some((node) => tool.appliesTo(node, telemetry)),
      );
      names = fits.map(({ name }) => name);
      this.fitting.set(spec, names);
    }
    return names;
  }

  run(name: string, args: JsonObject, context: OwnContext): Promise<OwnResult> | undefined {
    return isOracleTool(name) ? this.found(name, args, context) : undefined;
  }

  private async found(name: OracleTool, args: JsonObject, context: OwnContext): Promise<OwnResult> {
    const found = await this.carryOut(name, args, context);
    if (!context.forProvider) return found;
    const nodesOf = this.lookup.nodesOfRuns(context.spec.owner);
    return { ...found, result: await hideAddresses(found.result, nodesOf) };
  }

  private async carryOut(
    name: OracleTool,
    given: JsonObject,
    context: OwnContext,
  ): Promise<OwnResult> {
    const { action } = ORACLE_TOOLS[name];
    if (!mayAskFor(action, context.spec.chat))
      throw new RefusedError(
        `The person may not do this: it needs the role ${leastRoleFor(action)}.`,
      );
    const checked = checkArgs<unknown>(ORACLE_TOOLS[name].args as z.ZodType<unknown>, given);
    if ('fault' in checked) throw new Error(checked.fault);
    const as = <Name extends OracleTool>(_name: Name) => checked.args as Args<Name>;
    const asker = context.spec.owner;
    switch (name) {
      case 'list_topologies':
        return this.lookup.topologies(asker, as(name));
      case 'get_topology':
        return this.lookup.topology(asker, as(name).topology_id);
      case 'list_runs': {
        const { topology_id: topologyId, oldest_first: oldestFirst, ...rest } = as(name);
        const { id_prefix: idPrefix, ...wanted } = rest;
        return this.lookup.runs(asker, { topologyId, oldestFirst, idPrefix, ...wanted });
      }
      case 'get_run':
        return this.lookup.run(asker, as(name).run_id, as(name).about);
      case 'read_log': {
        const { run_id, after, limit, text } = as(name);
        return this.lookup.events(asker, run_id, { after, limit, text });
      }
      case 'start_diagnosis': {
        const { topology_id: topologyId, problem } = as(name);
        const { userMessage, chat } = context.spec;
        const before = context.before.flatMap((each) => {
          const call = checkArgs(ORACLE_TOOLS.start_diagnosis.args, each);
          return 'fault' in call ? [] : [call.args.topology_id];
        });
        const repeated = refusalToRepeat(topologyId, before);
        if (repeated !== undefined) throw new RefusedError(repeated);
        const request = await this.lookup.withoutNames(asker, userMessage);
        const said = { message: userMessage, request };
        const refusal = refusalToStart(said, chat?.history ?? [], topologyId);
        if (refusal !== undefined) throw new RefusedError(refusal);
        return this.diagnoses.start(topologyId, problem, context);
      }
      case 'follow_diagnosis':
        return this.diagnoses.follow(as(name).run_id, as(name).after, context);
      case 'navigate_to_page':
        return { result: { action: 'navigate', page: as(name).page } };
    }
  }
}
