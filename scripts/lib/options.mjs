import { parseArgs } from 'node:util';

/**
 * Reads the options of a script. With --help it prints the usage and ends; if an option is wrong or
 * an argument is missing, it says so and ends with 2.
 * @param usage the command line, without "Usage: "
 * @param options as `parseArgs` takes them
 * @param least number of arguments that are not options; 0: there are none
 */
export function readOptions(usage, options, least = 0) {
  const fail = (line) => {
    console.error(`${line}\nUsage: ${usage}`);
    process.exit(2);
  };
  let read;
  try {
    const help = { type: 'boolean', short: 'h', default: false };
    read = parseArgs({ allowPositionals: least > 0, options: { ...options, help } });
  } catch (error) {
    return fail(error.message);
  }
  if (read.values.help) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  return read.positionals.length < least ? fail('An argument is missing.') : read;
}
