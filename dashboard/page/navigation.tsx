import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { Scope } from './sql/where.ts';
import { formatUrl, parseUrl, rangeOf, type UrlState } from './url-state.ts';

interface NavigationState {
  readonly state: UrlState;
  /** The current time for every panel: the last refresh, in milliseconds since 1970. */
  readonly now: number;
  /** The scope: which rows the panels show. */
  readonly scope: Scope;
  /** Shows another state of the page. The back button of the browser returns to the previous state. */
  readonly go: (change: Partial<UrlState>) => void;
  readonly refresh: () => void;
}

const Navigation = createContext<NavigationState | undefined>(undefined);

export function NavigationProvider({ children }: { readonly children: ComponentChildren }) {
  const [search, setSearch] = useState(location.search);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const updateSearch = (): void => setSearch(location.search);
    addEventListener('popstate', updateSearch);
    return () => removeEventListener('popstate', updateSearch);
  }, []);
  const value = useMemo((): NavigationState => {
    const state = parseUrl(search);
    return {
      state,
      now,
      scope: {
        range: rangeOf(state.period, now),
        site: state.site,
        filters: state.filters,
        verdict: state.basis === 'enforced' ? 'action' : 'decision',
      },
      go: (change) => {
        const next = formatUrl({ ...state, ...change });
        if (next === formatUrl(state)) return;
        history.pushState(null, '', next === '' ? location.pathname : next);
        setSearch(next);
      },
      refresh: () => setNow(Date.now()),
    };
  }, [search, now]);
  return <Navigation.Provider value={value}>{children}</Navigation.Provider>;
}

export function useNavigation(): NavigationState {
  const value = useContext(Navigation);
  if (value === undefined) throw new Error('This part is outside of the navigation provider.');
  return value;
}
