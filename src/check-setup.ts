import { readAlertsFile } from './alerts/alerts-file.js';
import { Behaviours } from './behaviours/behaviours.js';
import type { Config } from './config/config.js';
import { readConfig, wrongConfiguration } from './config/load-config.js';
import { ConsiliumError, type Fault } from './domain/errors.js';
import { loadModels } from './models/providers/load-models.js';
import { Models, type ModelEntry } from './models/models.js';
import { Rules } from './notifications/rules.js';
import { Subscribers } from './notifications/subscribers.js';
import { configuredTools } from './tools/own/own-tool.js';
import type { Tool } from './tools/tool.js';
import { diagnosticTools } from './tools/tools.js';
import { redisUrlFault } from './redis/redis-url.js';
import { readReportsFile } from './reports/reports-file.js';
import { readSchedulesFile } from './schedules/schedules-file.js';
import { Sources } from './sources/sources.js';
import { documentWarnings } from './domain/topology/topology-warnings.js';
import type { Topology } from './domain/topology/topology.js';
import { checkTopology } from './topologies/check-topology.js';
import { withoutMeta } from './topologies/stored-topology.js';

export interface Setup {
  config: Config;
  /** The tools of TOOLS_DIR. */
  ownTools: readonly Pick<Tool, 'name' | 'calls'>[];
  /**
   * Parses a topology as the service with this setup does.
   * @throws ConsiliumError VALIDATION_FAILED with every fault
   */
  check: (topology: unknown) => Topology;
  /** Probable mistakes in the document of a topology, whether it has faults or not. */
  warnings: (topology: unknown) => Fault[];
}

/**
 * Reads the variables of an environment and every file that they name, so that all faults are
 * reported at once and before a Redis is started. The modules of the service read the files again.
 *
 * @param own models of the embedding program; MODEL may name one
 * @throws ConsiliumError VALIDATION_FAILED with every fault: the variable, or the file with its
 *   line
 */
export function checkSetup(env: NodeJS.ProcessEnv, own: readonly ModelEntry[] = []): Setup {
  const { config, faults } = readConfig(env);
  const urlFault = config.redisUrl === undefined ? undefined : redisUrlFault(config.redisUrl);
  if (urlFault !== undefined) faults.push({ path: 'REDIS_URL', message: urlFault });
  const wrong: ConsiliumError[] = faults.length > 0 ? [wrongConfiguration(faults)] : [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConsiliumError)) throw error;
      wrong.push(error);
      return undefined;
    }
  };
  const names = own.map(({ name }) => name);
  const models = attempt(() => loadModels(config, names));
  const behaviours = attempt(() => new Behaviours(config.behavioursDir));
  attempt(() => new Subscribers(config.subscribersDir));
  attempt(() => new Rules(config.rulesDir));
  const ownTools = attempt(() => configuredTools(config)) ?? [];
  attempt(() => readAlertsFile(config.alertsFile));
  attempt(() => readReportsFile(config.reportsFile));
  attempt(() => readSchedulesFile(config.schedulesFile));
  const sources = attempt(() => new Sources(config));
  if (!models || !behaviours || !sources || wrong.length > 0) throw joined(wrong);
  const known = {
    tools: [...diagnosticTools, ...ownTools],
    behaviours,
    sources,
    models: new Models([...models.entries, ...own], models.default),
  };
  return {
    config,
    ownTools,
    check: (topology) => checkTopology(withoutMeta(topology), known),
    warnings: (topology) => documentWarnings(topology, known.tools),
  };
}

/** An error whose message has all faults of these. */
function joined(errors: readonly ConsiliumError[]): Error {
  const [first] = errors;
  const faults: Fault[] = errors.flatMap(({ options }) => options.faults ?? []);
  const isWhole = faults.every(({ message }) => first?.message.includes(message));
  return first && errors.length === 1 && isWhole ? first : wrongConfiguration(faults);
}
