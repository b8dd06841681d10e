import { useState, type FormEvent } from 'react';
import { ApiError } from '../api/http.js';
import { signIn } from '../api/session.js';
import { Icon } from '../ui/icon.js';

/** Exchanges a credential for a session. */
export function SignIn() {
  const [credential, setCredential] = useState('');
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState('');
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn(credential.trim());
      // All queries and streams of the page begin again.
      location.reload();
    } catch (error) {
      setRefused(error instanceof ApiError ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <main className="dead" id="main">
      <Icon name="keys" size={36} />
      <h1>Sign in</h1>
      <p className="mute">
        An admin makes API keys with <code>consilium keys create</code>. The key is exchanged for a
        session of 8 hours and is not kept in this browser.
      </p>
      <form className="signin" onSubmit={(event) => void submit(event)}>
        <label className="field">
          <span className="sr">API key or access token</span>
          <input
            type="password"
            autoFocus
            autoComplete="current-password"
            placeholder="API key or access token"
            value={credential}
            onChange={({ target }) => setCredential(target.value)}
          />
        </label>
        <button className="btn btn-accent" disabled={busy || credential.trim() === ''}>
          Sign in
        </button>
      </form>
      {refused !== '' && (
        <div className="banner banner-off" role="alert">
          <Icon name="x" size={14} />
          <p>{refused}.</p>
        </div>
      )}
    </main>
  );
}
