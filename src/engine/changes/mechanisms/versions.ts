import type { DiffView } from '../read-diff.js';
import type { Mechanism } from './mechanism.js';

type Version = [number, number, number];

const DEPENDENCY = /([\w@./-]+)["']?[\s:=^~"']+v?(\d+)\.(\d+)(?:\.(\d+))?/;
const IMAGE = /(?:tag|image|version)["']?\s*[:=]\s*["']?(?:[\w./-]+:)?v?(\d+)\.(\d+)(?:\.(\d+))?/i;

const versionOf = (major = '0', minor = '0', patch = '0'): Version => [
  Number(major),
  Number(minor),
  Number(patch),
];

/** The possible effect of another version; for a patch nearly none. */
function stepOf(
  [major, minor]: Version,
  [nextMajor, nextMinor]: Version,
  about: string,
): Mechanism[] {
  if (major !== nextMajor) return [{ kind: 'version-major', about }];
  return minor === nextMinor ? [] : [{ kind: 'version-minor', about }];
}

/** Dependencies and images with another version (semver.org defines the effect of each part). */
export function changedVersions({ removed, added, changed, kinds, files }: DiffView): Mechanism[] {
  const found: Mechanism[] = [];
  if (kinds.includes('deps') || /Dockerfile|image/.test(files.join(' '))) {
    const before = versionsIn(removed);
    for (const [name, version] of versionsIn(added)) {
      const old = before.find(([other]) => other === name)?.[1];
      const about = name.split('/').slice(-3).join(' ');
      if (old) found.push(...stepOf(old, version, about));
      else if (before.length > 0) found.push({ kind: 'version-minor', about: name });
    }
  }
  if (kinds.includes('config')) {
    const old = imageIn(removed);
    const now = imageIn(added);
    if (old && now) found.push(...stepOf(old, now, [...changed, ...files].join(' ')));
  }
  return found;
}

const versionsIn = (lines: readonly string[]): [string, Version][] =>
  lines.flatMap((line): [string, Version][] => {
    const [, name, ...parts] = DEPENDENCY.exec(line) ?? [];
    return name === undefined ? [] : [[name, versionOf(...parts)]];
  });

function imageIn(lines: readonly string[]): Version | undefined {
  for (const line of lines) {
    const match = IMAGE.exec(line);
    if (match) return versionOf(match[1], match[2], match[3]);
  }
  return undefined;
}
