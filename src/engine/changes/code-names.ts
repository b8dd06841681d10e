/**
 * Words of languages and messages that telemetry quotes or writes as code, and that every program
 * has.
 */
const NO_NAME = new Set(
  (
    'true false null nil none undefined nan string number int integer bool boolean object array map list dict void any function class error ' +
    'exception main thread json http https utf-8 this self name value key type status message nonetype std java lang python node com org net'
  ).split(' '),
);

/** `'code'`, `"Order.getTotal()"`, `` `tier' ``: one quoted word in an error. */
const QUOTED = /['"`‘“]([^\s'"`‘’“”]{2,80})['"`’”]/g;
/** `cartTotal`, `unit_price`, `CartTotal`: several words in one. */
const COMPOUND =
  /(?<![\w$])(?:[a-z]+\d*[A-Z]|[A-Z]+[a-z\d]+[A-Z]|[A-Za-z\d]+_[A-Za-z\d])[\w$]{0,60}/g;
/** `total(`, `Order::total`, `order.total`: the syntax of code, also in stack frames. */
const CALLED =
  /(?<![\w$])[A-Za-z_$][\w$]{2,60}(?=\()|(?<=[\w$)](?:::|->|\.))[A-Za-z_$][\w$]{2,60}(?![\w$.:])/g;
const FILE =
  /(?<![\w-])[\w-]{1,60}\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|scala|cs|fs|php|exs?|erl|cc|cpp|swift|lua|clj)(?![\w-])/g;
const NAME = /[A-Za-z_$][\w$]*/g;

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([whole, inner]) => inner ?? whole);

/** Complete names of code that a message mentions: words of prose are not names. */
export function namesInMessage(text: string): Set<string> {
  const files = new Set(matches(text, FILE));
  const quoted = matches(text, QUOTED).flatMap((each) =>
    /[-/]/.test(each) ? [each] : matches(each, NAME),
  );
  const written = [...matches(text, COMPOUND), ...matches(text, CALLED)];
  const isName = (name: string) => !NO_NAME.has(name.toLowerCase()) && !files.has(name);
  return new Set([...quoted, ...written].filter(isName));
}

/** Names in lines of code, with their texts of one word. */
export const namesInCode = (lines: readonly string[]): Set<string> =>
  new Set(lines.flatMap((line) => [...matches(line, NAME), ...matches(line, QUOTED)]));

/** Source files that a message names, without their folders. */
export const filesInMessage = (text: string): Set<string> => new Set(matches(text, FILE));
