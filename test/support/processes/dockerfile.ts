import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { builtFrom, ensureBuilt, fingerprint } from '../../../scripts/lib/build.mjs';

/** A stage of a Dockerfile, executed in a folder instead of an image. */
export interface Stage {
  name: string;
  /** Represents WORKDIR. */
  folder: string;
  env: Record<string, string>;
  /** Folders outside of WORKDIR, which are not made: path → owner. */
  owners: Map<string, string>;
  user: string | undefined;
  healthcheck: string[] | undefined;
  command: string[] | undefined;
}

/**
 * Executes a Dockerfile in folders below `into`: COPY from the context or another stage, RUN, ENV.
 * It knows the instructions and forms that our Dockerfile uses, and throws for others, so that it
 * cannot skip one.
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
        owners: new Map(stages.get(base)?.owners),
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
    else if (word === 'RUN') await run(rest, stage, context);
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

const MAKE_FOLDER = /^install -d -o (\S+) -g \S+ (\/\S+)$/;
const NPM_CI = /^npm ci\b([^&]*)(&& )?/;

async function run(command: string, stage: Stage, project: string): Promise<void> {
  const [, owner, path] = MAKE_FOLDER.exec(command) ?? [];
  if (owner !== undefined && path !== undefined) return void stage.owners.set(path, owner);
  const [install = '', options] = NPM_CI.exec(command) ?? [];
  if (options !== undefined)
    await installFrom(project, stage.folder, options.includes('--omit=dev'));
  const rest = command.slice(install.length);
  if (rest === '') return;
  if (rest === 'npm run build' && (await isBuiltAlike(stage.folder, project)))
    return cp(join(project, 'dist'), join(stage.folder, 'dist'), { recursive: true });
  const env = cleanEnvironment(stage);
  await promisify(execFile)('/bin/sh', ['-c', rest], { cwd: stage.folder, env });
}

/**
 * As a layer of the same inputs, what the project builds is not built again. Builds the project,
 * which other tests need, too.
 */
async function isBuiltAlike(folder: string, project: string): Promise<boolean> {
  const same = contentOf(join(folder, 'scripts')) === contentOf(join(project, 'scripts'));
  return same && (await ensureBuilt(project)) && fingerprint(folder) === builtFrom(project);
}

/** The files of a folder with their contents. */
function contentOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return JSON.stringify(
    files.sort().map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
  );
}

/**
 * Represents `npm ci`, as the cached layer of an image does. The packages come from the project's
 * node_modules, which npm has installed from the same lock file.
 */
async function installFrom(project: string, folder: string, omitDev: boolean): Promise<void> {
  if (!omitDev) return symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  for (const [path, { dev = false }] of Object.entries(lock.packages))
    // Packages below others are copied with them.
    if (!dev && path.split('node_modules/').length === 2 && existsSync(join(project, path)))
      linkTree(join(project, path), join(folder, path));
}

/** Copies a folder by hard links, or by files if the target is on another file system. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile()) linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
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
    const copied = join(stage.folder, target, intoFolder ? basename(source) : '');
    // Of files between stages there is one copy; the files of the project are never shared.
    if (from === undefined) await cp(path, copied, { recursive: true, verbatimSymlinks: true });
    else linkTree(path, copied);
  }
}

/**
 * The environment of a build, without this test's own variables (NODE_OPTIONS of Jest, variables of
 * npm).
 */
export function cleanEnvironment(stage: Stage): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...stage.env };
}
