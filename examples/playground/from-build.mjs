import { register } from 'node:module';

/**
 * Imports a module of the service from the build, or from the sources if there is no build (under
 * test).
 * @param {string} name path in `src`, without its extension
 */
export async function fromBuild(name) {
  const missing = (error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  };
  const built = await import(`../../dist/${name}.js`).catch(missing);
  if (built) return built;
  register('../../scripts/ts-hooks.mjs', import.meta.url);
  const source = await import(`../../src/${name}.ts`).catch(missing);
  if (source) return source;
  throw new Error('The playground needs the built service: run `npm run build` first.');
}
