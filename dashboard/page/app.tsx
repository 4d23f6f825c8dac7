import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { Me } from '../page-contract/me.ts';
import { SignedIn } from './data/signed-in.ts';
import { whoAmI } from './data/who-am-i.ts';
import { Dashboard } from './dashboard.tsx';
import { NavigationProvider } from './navigation.tsx';
import { Failed, Loading } from './parts/panel.tsx';
import { messageOfAddress, SignIn } from './sign-in.tsx';

type Viewer =
  | { readonly state: 'asking' }
  | { readonly state: 'signed-in'; readonly me: Me }
  | { readonly state: 'signed-out'; readonly oidc: boolean; readonly message: string }
  | { readonly state: 'failed' };

export function App() {
  const [viewer, setViewer] = useState<Viewer>({ state: 'asking' });
  const findViewer = useCallback(async (message: string): Promise<void> => {
    const found = await whoAmI();
    setViewer(found.state === 'signed-out' ? { ...found, message } : found);
  }, []);
  useEffect(() => {
    const message = messageOfAddress(location.search);
    if (message !== '') history.replaceState(null, '', location.pathname);
    void findViewer(message);
  }, [findViewer]);
  const signedIn = useMemo(
    () =>
      viewer.state === 'signed-in'
        ? {
            me: viewer.me,
            signedOut: () => void findViewer('Your session has ended. Sign in again.'),
          }
        : undefined,
    [viewer, findViewer],
  );
  if (viewer.state === 'asking') return <Loading />;
  if (viewer.state === 'failed') {
    return (
      <main class="sign-in">
        <Failed message="Guard cannot be reached." retry={() => void findViewer('')} />
      </main>
    );
  }
  if (viewer.state === 'signed-out' || signedIn === undefined) {
    const { oidc, message } = viewer.state === 'signed-out' ? viewer : { oidc: false, message: '' };
    return <SignIn oidc={oidc} message={message} signedIn={() => void findViewer('')} />;
  }
  return (
    <SignedIn.Provider value={signedIn}>
      <NavigationProvider>
        <Dashboard />
      </NavigationProvider>
    </SignedIn.Provider>
  );
}
