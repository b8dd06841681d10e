import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** A stage of a Dockerfile, executed in a folder instead of an image. */
export interface Stage {
  name: string;
  /** Represents WORKDIR. */
  folder: string;
  env: Record<string, string>;
  user: string | undefined;
  healthcheck: string[] | undefined;
  command: string[] | undefined;
}

/**
 * Executes a Dockerfile in folders below `into`: COPY from the context or another stage, RUN, ENV. It knows the instructions and
 * forms that our Dockerfile uses, and throws for others, so that it cannot skip one.
 */
export async function carryOut(
  dockerfile: string,
  context: string,
  into: string,
): Promise<Map<string, Stage>> {
  const stages = new Map<string, Stage>();
  let workdir = '/';
  let stage: Stage | undefined;
  for (const { word, rest } of instructions(await readFile(dockerfile, 'utf8'))) {
    if (word === 'FROM') {
      const [base = '', , name = `stage-${stages.size}`] = rest.split(/\s+/);
      stage = {
        name,
        folder: join(into, name),
        env: { ...stages.get(base)?.env },
        user: undefined,
        healthcheck: undefined,
        command: undefined,
      };
      stages.set(name, stage);
      await mkdir(stage.folder, { recursive: true });
      continue;
    }
    if (stage === undefined) throw new Error(`${word} before FROM`);
    if (word === 'WORKDIR') workdir = rest;
    else if (word === 'COPY') await copy(rest, stage, { stages, context, workdir });
    else if (word === 'RUN') await run(rest, stage);
    else if (word === 'ENV')
      Object.assign(
        stage.env,
        Object.fromEntries(rest.split(/\s+/).map((pair) => pair.split('='))),
      );
    else if (word === 'USER') stage.user = rest;
    else if (word === 'HEALTHCHECK')
      stage.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD') + 3)) as string[];
    else if (word === 'CMD') stage.command = JSON.parse(rest) as string[];
    else if (word !== 'EXPOSE') throw new Error(`What does ${word} do?`);
  }
  return stages;
}

/** Packages come from npm's cache if they are there, like the layers of an image. */
async function run(command: string, stage: Stage): Promise<void> {
  const env = { ...cleanEnvironment(stage), npm_config_prefer_offline: 'true' };
  await promisify(execFile)('/bin/sh', ['-c', command], { cwd: stage.folder, env });
}

function instructions(text: string): { word: string; rest: string }[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ word: line.split(/\s/, 1)[0] ?? '', rest: line.replace(/^\S+\s+/, '') }));
}

async function copy(
  rest: string,
  stage: Stage,
  at: { stages: Map<string, Stage>; context: string; workdir: string },
): Promise<void> {
  const words = rest.split(/\s+/);
  const from = words[0]?.startsWith('--from=')
    ? at.stages.get(words.shift()?.slice('--from='.length) ?? '')
    : undefined;
  const target = words.pop() ?? '';
  for (const source of words) {
    const path =
      from === undefined
        ? join(at.context, source)
        : join(from.folder, source.replace(`${at.workdir}/`, ''));
    const intoFolder = target.endsWith('/') || target === '.';
    await cp(path, join(stage.folder, target, intoFolder ? basename(source) : ''), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

/** The environment of a build, without this test's own variables (NODE_OPTIONS of Jest, variables of npm). */
export function cleanEnvironment(stage: Stage): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...stage.env };
}
