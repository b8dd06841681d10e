import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads from 'node:worker_threads';
import { TestEnvironment } from 'jest-environment-node';
import { FileTimes } from './file-times.mjs';

const ROOT = join(import.meta.dirname, '../..');

/** Starts the built program in place of a TypeScript source, which a thread cannot load. */
threads.Worker = class extends threads.Worker {
  constructor(program, options) {
    super(builtOf(program) ?? program, options);
  }
};

function builtOf(program) {
  if (program?.protocol !== 'file:') return undefined;
  const source = relative(ROOT, fileURLToPath(program));
  const built = join(process.env.TEST_THREADS, source.replace(/\.js$/, '.mjs'));
  return existsSync(built) ? pathToFileURL(built) : undefined;
}

/** The storages that have been used since the last test file ended. */
const used = new Set();
for (const name of ['run', 'enterWith']) {
  const use = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...values) {
    used.add(this);
    return use.apply(this, values);
  };
}

/**
 * Jest's environment for Node, which disables the storages that a test file used when the file has
 * ended. Jest makes one for each file and never disables it. Before Node 24, each promise that is
 * made takes a look at each of them: after 100 files in one worker, an `await` takes 250 times as
 * long.
 */
export default class FileEnvironment extends TestEnvironment {
  #times = new FileTimes();
  #testFile;

  constructor(config, context) {
    super(config, context);
    this.#testFile = relative(ROOT, context.testPath);
  }

  handleTestEvent({ name }) {
    if (name === 'run_start') this.#times.loaded();
  }

  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    await super.teardown();
    this.#times.write(this.#testFile);
  }
}
