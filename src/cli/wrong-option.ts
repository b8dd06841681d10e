import { allowed, quote } from '../lib/text.js';

/** The message of an error of `parseArgs` for the user; any other error as it is. */
export function wrongOption(error: unknown, options: object): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, name] = /'(?:-., )?(-[^ ']+)/.exec(message) ?? [];
  if (name === undefined) return error;
  const names = Object.keys(options).map((option) => `--${option}`);
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return new Error(`There is no option ${quote(name)}: ${allowed(name, names)}.`);
  if (message.includes('ambiguous'))
    return new Error(
      `${name} needs a value; one that begins with a dash is given as ${name}=VALUE.`,
    );
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE')
    return new Error(
      message.includes('does not take') ? `${name} takes no value.` : `${name} needs a value.`,
    );
  return error;
}
