import { useContext, useEffect, useState } from 'preact/hooks';
import type { Health } from '../../page-contract/health.ts';
import { useNavigation } from '../navigation.tsx';
import { SignedIn } from './signed-in.ts';
import { messageOf } from './use-query.ts';

export type AskedHealth =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly health: Health }
  | { readonly state: 'failed'; readonly message: string };

export function useHealth(): AskedHealth {
  const { now } = useNavigation();
  const { signedOut } = useContext(SignedIn);
  const [asked, setAsked] = useState<AskedHealth>({ state: 'loading' });
  useEffect(() => {
    const ending = new AbortController();
    const get = async (): Promise<void> => {
      const response = await fetch('/api/health', { signal: ending.signal });
      if (response.status === 401) signedOut();
      else if (!response.ok) throw new Error(`The server answered ${response.status}.`);
      else setAsked({ state: 'ready', health: (await response.json()) as Health });
    };
    get().catch((error: unknown) => {
      if (!ending.signal.aborted) setAsked({ state: 'failed', message: messageOf(error) });
    });
    return () => ending.abort();
  }, [now]);
  return asked;
}

/** Sum of a metric over its labels that contain `label`. Undefined when there is no such metric. */
export function metric({ metrics }: Health, name: string, label = ''): number | undefined {
  const found = Object.entries(metrics).filter(
    ([key]) => (key === name || key.startsWith(`${name}{`)) && key.includes(label),
  );
  return found.length === 0 ? undefined : found.reduce((sum, [, value]) => sum + value, 0);
}
