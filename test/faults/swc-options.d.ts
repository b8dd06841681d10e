/** Shared with scripts and Jest, which are plain JavaScript. */
declare module '*/swc-options.mjs' {
  export const swcOptions: import('@swc/core').Options;
}
