import { useState } from 'preact/hooks';
import { Mark } from './parts/mark.tsx';
import { Failed } from './parts/panel.tsx';

interface Props {
  readonly oidc: boolean;
  /** The reason why the form is shown. Empty when there is no special reason. */
  readonly message: string;
  readonly signedIn: () => void;
}

export function SignIn({ oidc, message, signedIn }: Props) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    const failure = await signInWith(key.trim());
    setBusy(false);
    if (failure === undefined) signedIn();
    else setProblem(failure);
  };
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <h1>
          <Mark /> Guard
        </h1>
        {message === '' ? null : (
          <p class="notice" role="status">
            {message}
          </p>
        )}
        <label for="key">Analytics key</label>
        <input
          id="key"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          spellcheck={false}
          aria-describedby="key-help"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <p id="key-help" class="about">
          It begins with <code>sk_api_ro_</code>. <code>guard init</code> writes one into{' '}
          <code>guard.env</code>, and <code>guard keys</code> makes another.
        </p>
        {problem === '' ? null : <Failed message={problem} />}
        <button type="submit" class="main" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
        {oidc ? (
          <p>
            <a class="button" href="/oidc/start">
              Sign in with your provider
            </a>
          </p>
        ) : null}
      </form>
    </main>
  );
}

/** Signs in with a key. Resolves with the reason of a failure, or with undefined on success. */
async function signInWith(key: string): Promise<string | undefined> {
  try {
    const response = await fetch('/api/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    });
    if (response.ok) return undefined;
    if (response.status === 429) {
      return `Too many attempts. Try again in ${response.headers.get('retry-after') ?? '60'} seconds.`;
    }
    return response.status === 401 || response.status === 400
      ? 'Guard does not know this key, or it was revoked.'
      : `The server answered ${response.status}.`;
  } catch {
    return 'Guard cannot be reached.';
  }
}

const REASONS: Readonly<Partial<Record<string, string>>> = {
  used: 'That link was used before, or is too old. Guard prints a new one at its next start; or sign in with a key.',
  failed: 'Your provider did not let you in, or you belong to no organisation here.',
};

/** Returns the message for a sign-in result in the URL. */
export function messageOfAddress(search: string): string {
  return REASONS[new URLSearchParams(search).get('signin') ?? ''] ?? '';
}
