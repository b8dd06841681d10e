import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { readSecret } from '../../config/secrets.js';
import { schemaFaults } from '../../config/schema-faults.js';
import { readTextFiles } from '../../config/read-text-files.js';
import { readSourcesFile } from '../../sources/live/sources-file.js';
import { ConsiliumError, type Fault } from '../../domain/errors.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { isRecorded, provides } from '../../domain/topology/recorded.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { nodeArgument } from '../arguments.js';
import { trustOptionsOf } from '../attributes.js';
import { clean, hostPortOf, urlOf } from '../net/endpoint.js';
import { exchange } from '../net/http-exchange.js';
import { within } from '../net/within.js';
import { ownCommandsOff } from '../probe-policy.js';
import { toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';
import { diagnosticTools } from '../tools.js';
import { type Args, fill } from './fill.js';
import { judgeOutput, measurementsIn } from './judge-output.js';
import type { OwnOutput } from './own-output.js';
import {
  givesAddress,
  neededParameters,
  type OwnToolFile,
  parametersOf,
  parseOwnTool,
} from './own-tool-file.js';
import { askMcp, McpServers, needsSelector } from './ask-mcp.js';
import { runCommand } from '../../sources/machine/run-command.js';

const MOST_FILE = 64 * 1024;
const MOST_ANSWER = 64 * 1024;
const MOST_TEXT = 1_000;
/** Of the answer of an MCP server, which is made for a model. */
const MOST_MCP_TEXT = 8_000;

interface Operator {
  folder: string;
  secretOf: (name: string) => string | undefined;
  mcp: McpServers;
}

/**
 * The tools of an operator's folder, one for each NAME.yaml, in order of their names.
 * @param taken names of other tools
 * @throws ConsiliumError VALIDATION_FAILED with all faults
 * @internal Exported for tests.
 */
export function readOwnTools(operator: Operator, taken: readonly string[]): Tool[] {
  const faults: Fault[] = [];
  const tools = readTextFiles(operator.folder, '.yaml', MOST_FILE).flatMap(
    ({ name, file, text }) => {
      const path = file;
      if (!/^[a-z][a-z0-9_]{0,59}$/.test(name))
        faults.push({
          path,
          message: 'its name must be small letters, digits and _: it is the name of the tool',
        });
      if (taken.includes(name)) faults.push({ path, message: `there is a tool ${name} already` });
      const read = parseOwnTool(text, path, {
        programFault: (program) => programFault(operator.folder, program),
        servers: operator.mcp.ids,
      });
      if ('file' in read) return [ownTool(name, read.file, operator)];
      faults.push(...read.faults);
      return [];
    },
  );
  if (faults.length === 0) return tools;
  throw new ConsiliumError('VALIDATION_FAILED', 'TOOLS_DIR has tools with faults.', { faults });
}

/**
 * The tools of TOOLS_DIR; none without it.
 * @throws ConsiliumError VALIDATION_FAILED with all faults, also of SOURCES_FILE
 */
export const configuredTools = ({
  toolsDir,
  sourcesFile,
  secretOf,
}: Pick<Config, 'toolsDir' | 'sourcesFile' | 'secretOf'>): Tool[] =>
  toolsDir === undefined
    ? []
    : readOwnTools(
        { folder: toolsDir, secretOf, mcp: new McpServers(readSourcesFile(sourcesFile), secretOf) },
        diagnosticTools.map(({ name }) => name),
      );

function ownTool(name: string, file: OwnToolFile, operator: Operator): Tool {
  const schema = z.strictObject({ ...parametersOf(file), node: nodeArgument });
  const needed = neededParameters(file);
  const lacks = ({ attributes }: Pick<TopologyNode, 'attributes'>) =>
    needed.filter((each) => attributes[each] === undefined);
  /** Attributes of the node that are called as parameters: what a call leaves out. */
  const attributesOf = ({ attributes }: TopologyNode) =>
    Object.fromEntries(
      Object.keys(file.parameters).flatMap((each) =>
        attributes[each] === undefined ? [] : [[each, attributes[each]]],
      ),
    );
  const [program = ''] = file.command ?? [];
  const path = file.command && realpathSync(join(operator.folder, program));
  return {
    name,
    description: file.description,
    access: 'read',
    repeatable: true,
    measures: () => file.measures,
    subject: Object.keys(file.parameters),
    replayable: true,
    ...(file.mcp && { calls: file.mcp }),
    ...(file.command && file.tenants !== 'all' && { denied: ownCommandsOff }),
    attributes: Object.keys(file.parameters),
    lacks,
    onDemand: (node) => lacks(node).length > 0,
    args: schema,
    appliesTo: (node, sources) =>
      file.kinds.includes(node.kind) &&
      (file.http === undefined || urlOf(node, 'http:', 'https:') !== undefined) &&
      (!needsSelector(file.mcp) || node.in?.[file.mcp?.source ?? ''] !== undefined) &&
      (!isRecorded(sources) || provides(sources, 'probes')),
    argsFor: (node) => ({ ...attributesOf(node), node: node.id }),
    run: async (given, context) => {
      const args = argumentsIn(schema, { ...attributesOf(context.node), ...given });
      const output = await within(context.signal, file.timeoutSeconds * 1_000, async (signal) => {
        const own = { ...context, signal };
        if (!file.http && givesAddress(file)) await checkAddress(own);
        if (path !== undefined) return runProgram(file, { path, args, operator }, own);
        return file.mcp
          ? askMcp(file.mcp, { args, file, servers: operator.mcp }, own)
          : askHttp(file, args, own);
      });
      return resultOf(file, output, context);
    },
  };
}

/** @throws where the attribute of a node does not fit its parameter */
function argumentsIn(schema: z.ZodType<Args>, given: Args): Args {
  const read = schemaFaults(schema, given);
  if ('value' in read) return read.value;
  const faults = read.faults.map(({ path, message }) => `${path} ${message}`);
  throw new Error(`an attribute of the node does not fit: ${faults.join('; ')}`);
}

/**
 * @throws EgressDeniedError where no tool may connect to the endpoint of the node; errors of name
 *   resolution
 */
async function checkAddress({ node, policy }: ToolContext): Promise<void> {
  const target = hostPortOf(node);
  if (target) await policy.egress.resolve(target);
}

/** Only programs of the operator's folder run. */
function programFault(folder: string, program: string): string | undefined {
  const path = join(folder, program);
  if (isAbsolute(program) || !existsSync(path))
    return `there is no program ${program} in the folder of the tools`;
  return realpathSync(path).startsWith(realpathSync(folder) + sep)
    ? undefined
    : `${program} is not in the folder of the tools`;
}

async function runProgram(
  file: OwnToolFile,
  { path, args, operator }: { path: string; args: Args; operator: Operator },
  context: ToolContext,
): Promise<OwnOutput> {
  const [, ...given] = file.command ?? [];
  const filled = given.map((part) => fill(part, args, context));
  const secrets = Object.entries(file.env).map(async ([name, reference]) => [
    name,
    await readSecret(reference, operator.secretOf),
  ]);
  const env = Object.fromEntries((await Promise.all(secrets)) as [string, string][]);
  const { code, stdout, stderr, isCut } = await runCommand([path, ...filled], {
    folder: operator.folder,
    env,
    signal: context.signal,
  });
  if (isCut) throw new Error('it wrote more than 64 KiB');
  if (code === null || (code !== 0 && !Object.hasOwn(file.exit, String(code))))
    throw new Error(
      `it ended with ${code === null ? 'a signal' : `code ${code}`}: ${clean(stderr || stdout, context.node, 300)}`,
    );
  return { text: stdout, code, stderr };
}

async function askHttp(file: OwnToolFile, args: Args, context: ToolContext): Promise<OwnOutput> {
  const base = urlOf(context.node, 'http:', 'https:');
  if (!base) throw new Error(`${context.node.id} has no endpoint that is an HTTP URL`);
  const path = fill(file.http?.path ?? '/', args, context, encodeURIComponent);
  const [segments = ''] = path.split(/[?#]/);
  if (segments.split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new Error('a segment of the path must not be . or ..: it would lead to another path');
  const url = new URL(path, base.origin);
  // `//other.example` would be another host.
  if (url.host !== base.host || path.startsWith('//'))
    throw new Error('the path leads to another host');
  [url.username, url.password] = [base.username, base.password];
  const { answer, fault } = await exchange(url, {
    context,
    trust: trustOptionsOf(context.node),
    maxBytes: MOST_ANSWER,
    timeoutMs: file.timeoutSeconds * 1_000,
  });
  if (!answer) throw new Error(fault?.text ?? 'no answer');
  if (answer.status < 200 || answer.status > 299) throw new Error(`it answered ${answer.status}`);
  if (!answer.bodyComplete) throw new Error('it answered more than 64 KiB');
  return { text: answer.body };
}

function resultOf(file: OwnToolFile, output: OwnOutput, { node }: ToolContext): ToolResult {
  const measured = measurementsIn(file, output);
  const { issues, judged } = judgeOutput(file, measured, output);
  const shown = issues.map((issue) => ({
    ...issue,
    title: clean(issue.title, node, 200),
    detail: clean(issue.detail, node, 500),
  }));
  const measurements =
    Object.keys(measured).length > 0
      ? measured
      : { output: clean(output.text, node, file.mcp ? MOST_MCP_TEXT : MOST_TEXT) };
  const summary = shown[0]?.title ?? 'all values within their limits';
  return toolResult(summary, measurements, shown, judged);
}
