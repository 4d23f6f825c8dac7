import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { Me } from '../page-contract/me.ts';
import { SignedIn } from './data/signed-in.ts';
import { whoAmI } from './data/who-am-i.ts';
import { Dashboard } from './dashboard.tsx';
import { NavigationProvider } from './navigation.tsx';
import { Failed, Loading } from './parts/panel.tsx';
import { messageOfAddress, SignIn } from './sign-in.tsx';

type Who =
  | { readonly state: 'asking' }
  | { readonly state: 'signed-in'; readonly me: Me }
  | { readonly state: 'signed-out'; readonly oidc: boolean; readonly message: string }
  | { readonly state: 'failed' };

export function App() {
  const [who, setWho] = useState<Who>({ state: 'asking' });
  const find = useCallback(async (message: string): Promise<void> => {
    const viewer = await whoAmI();
    setWho(viewer.state === 'signed-out' ? { ...viewer, message } : viewer);
  }, []);
  useEffect(() => {
    const message = messageOfAddress(location.search);
    if (message !== '') history.replaceState(null, '', location.pathname);
    void find(message);
  }, [find]);
  const signedIn = useMemo(
    () =>
      who.state === 'signed-in'
        ? { me: who.me, signedOut: () => void find('Your session has ended. Sign in again.') }
        : undefined,
    [who, find],
  );
  if (who.state === 'asking') return <Loading />;
  if (who.state === 'failed') {
    return (
      <main class="sign-in">
        <Failed message="Guard cannot be reached." retry={() => void find('')} />
      </main>
    );
  }
  if (who.state === 'signed-out' || signedIn === undefined) {
    const { oidc, message } = who.state === 'signed-out' ? who : { oidc: false, message: '' };
    return <SignIn oidc={oidc} message={message} signedIn={() => void find('')} />;
  }
  return (
    <SignedIn.Provider value={signedIn}>
      <NavigationProvider>
        <Dashboard />
      </NavigationProvider>
    </SignedIn.Provider>
  );
}
