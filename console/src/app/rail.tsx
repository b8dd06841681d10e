import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hasSignedIn, principalQuery, signOut } from '../api/session.js';
import { Icon } from '../ui/icon.js';
import { toggleTheme, useTheme } from '../ui/theme.js';
import { NAV } from './nav.js';

interface RailProps {
  onSearch: () => void;
  onHelp: () => void;
}

/** The pages, and what concerns all of them. */
export function Rail({ onSearch, onHelp }: RailProps) {
  const theme = useTheme();
  return (
    <nav className="rail noprint" aria-label="Main">
      <Link to="/runs" className="logo" aria-label="Consilium: all runs">
        <Logo />
      </Link>
      {NAV.map(({ to, icon, label }) => (
        <Link
          key={to}
          to={to}
          className="rail-item"
          activeProps={{ className: 'is-on', 'aria-current': 'page' }}
        >
          <Icon name={icon} size={18} />
          <span>{label}</span>
        </Link>
      ))}
      <span className="grow" />
      <button className="rail-item rail-search" onClick={onSearch}>
        <Icon name="search" size={18} />
        <span>Search</span>
      </button>
      <Account />
      <button className="rail-item" onClick={toggleTheme}>
        <Icon name={theme === 'dark' ? 'sun' : 'moon'} size={18} />
        <span>{theme === 'dark' ? 'Light' : 'Dark'}</span>
      </button>
      <button className="rail-item rail-help" onClick={onHelp}>
        <Icon name="keys" size={18} />
        <span>Keys</span>
      </button>
    </nav>
  );
}

/** Who is signed in, and the way out. Nothing without authentication. */
function Account() {
  const { data } = useQuery(principalQuery());
  if (!data || !hasSignedIn(data)) return null;
  const { principal, tenant, role } = data;
  const leave = () => void signOut().finally(() => location.reload());
  return (
    <button
      className="rail-item"
      onClick={leave}
      title={`${principal} of ${tenant}, ${role}: sign out`}
    >
      <Icon name="left" size={18} />
      <span>Sign out</span>
      <span className="sr">
        {principal} of {tenant}, {role}
      </span>
    </button>
  );
}

const SATELLITES = [
  [12, 3.6],
  [19.3, 7.8],
  [19.3, 16.2],
  [12, 20.4],
  [4.7, 16.2],
  [4.7, 7.8],
];

function Logo() {
  return (
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="3.2" className="logo-core" />
      {SATELLITES.map(([x, y]) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r="2" />
      ))}
    </svg>
  );
}
