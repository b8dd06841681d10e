import { buildThreads } from './build.mjs';

/** Builds the programs of threads at TEST_THREADS, unless the whole service is built. */
export default async function setUp() {
  process.env.TEST_THREADS ??= await buildThreads();
}
