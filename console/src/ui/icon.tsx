import { ICON_PATHS } from './icon-paths.js';

export type IconName = keyof typeof ICON_PATHS;

const isIcon = (name: string): name is IconName => Object.hasOwn(ICON_PATHS, name);

interface IconProps {
  /** A name of `ICON_PATHS`, or the kind of a node. */
  name: string;
  size?: number;
  filled?: boolean;
}

export function Icon({ name, size = 16, filled = false }: IconProps) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={filled ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={ICON_PATHS[isIcon(name) ? name : 'tcp']} />
    </svg>
  );
}
