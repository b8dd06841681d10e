import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const here = import.meta.dirname;

/**
 * Serves theme.js as a blocking script with an immutable name: the content security policy forbids
 * an inline one.
 */
const theme = {
  name: 'theme',
  buildStart() {
    if (this.environment.config.command !== 'build') return;
    const source = readFileSync(join(here, 'theme.js'), 'utf8');
    this.emitFile({ type: 'asset', name: 'theme.js', source });
  },
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle }) {
      const built = Object.values(bundle ?? {}).find((file) => file.names?.includes('theme.js'));
      const src = built ? `./${built.fileName}` : './theme.js';
      return [{ tag: 'script', attrs: { src }, injectTo: 'head-prepend' }];
    },
  },
};

/** Paths are relative, so that the console works behind any path prefix. */
export default defineConfig({
  root: here,
  base: './',
  cacheDir: join(here, '../node_modules/.cache/vite'),
  plugins: [theme],
  build: {
    outDir: join(here, '../dist/console'),
    emptyOutDir: true,
    target: ['chrome120', 'firefox121', 'safari17.4'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    // Calls of React that do nothing else: a component that is not used is left out of its library.
    rolldownOptions: {
      treeshake: { manualPureFunctions: ['createContext', 'forwardRef', 'lazy', 'memo'] },
    },
  },
  server: { proxy: { '^/(api|chat|health|metrics)': 'http://127.0.0.1:3000' } },
});
