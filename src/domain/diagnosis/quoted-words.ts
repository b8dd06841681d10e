/** Where a tool begins to quote its target: a body, what a health page says, the words beside a status. */
const QUOTED =
  /it said: "?.*|, but says it is .*|(?<=\banswers \d{3} )(?!after a redirect)[^,;.]+/gis;

/** The text of an issue in the words of its tool alone. The words of a target must not decide anything that the tool measures. */
export const ownWords = (text: string): string => text.replace(QUOTED, '');

/** What the text of an issue quotes of its target; empty if it quotes nothing. */
export const quotedWords = (text: string): string => (text.match(QUOTED) ?? []).join(' ');
