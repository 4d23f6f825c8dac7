import { useContext } from 'preact/hooks';
import { SignedIn } from '../data/signed-in.ts';
import { useNavigation } from '../navigation.tsx';
import { Choice, Select, Checkbox } from '../parts/choice.tsx';
import { Link } from '../parts/link.tsx';
import { Mark } from '../parts/mark.tsx';
import { fullTime } from '../text/format.ts';
import { PERIODS, type View } from '../url-state.ts';
import { FIELDS } from '../sql/fields.ts';
import { SearchBox } from './search-box.tsx';
import { SmallButton } from '../parts/small-button.tsx';

const VIEWS: readonly (readonly [View, string])[] = [
  ['overview', 'Overview'],
  ['events', 'Events'],
  ['rules', 'Rules and crawlers'],
  ['health', 'Health'],
];

const PERIOD_WORDS = {
  '15m': '15 minutes',
  '1h': '1 hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
} as const;

export function Header() {
  const { state } = useNavigation();
  return (
    <header class="bar">
      <div class="bar-top">
        <Link to={{ view: 'overview', before: '' }} class="brand">
          <Mark /> <span>Guard</span>
        </Link>
        <nav aria-label="Views">
          {VIEWS.map(([view, words]) => (
            <Link key={view} to={{ view, before: '' }} current={state.view === view}>
              {words}
            </Link>
          ))}
        </nav>
        <SearchBox />
        <SignOut />
      </div>
      <div class="bar-settings">
        <SiteChoice />
        <PeriodChoice />
        <BasisChoice />
        <FilterChips />
      </div>
    </header>
  );
}

function SiteChoice() {
  const { me } = useContext(SignedIn);
  const { state, go } = useNavigation();
  const sites =
    me.sites.includes(state.site) || state.site === '' ? me.sites : [...me.sites, state.site];
  return (
    <Select
      label="Site"
      options={[['', 'All sites'] as const, ...sites.map((site) => [site, site] as const)]}
      chosen={state.site}
      choose={(site) => go({ site, before: '' })}
    />
  );
}

function PeriodChoice() {
  const { state, scope, go, refresh } = useNavigation();
  const { period } = state;
  return (
    <>
      <Select
        label="Last"
        options={PERIODS.map((option) => [option, PERIOD_WORDS[option]] as const)}
        chosen={typeof period === 'string' ? period : undefined}
        choose={(option) => {
          go({ period: option, before: '' });
          refresh();
        }}
      />
      {typeof period === 'string' ? null : (
        <span class="range">
          {fullTime(scope.range.from)} – {fullTime(scope.range.to)}
        </span>
      )}
      <SmallButton disabled={typeof period !== 'string'} onClick={refresh}>
        Refresh
      </SmallButton>
    </>
  );
}

function BasisChoice() {
  const { state, go } = useNavigation();
  return (
    <>
      <Choice
        label="What is counted"
        options={[
          ['enforced', 'Enforced'],
          ['concluded', 'Decided'],
        ]}
        chosen={state.basis}
        choose={(basis) => go({ basis })}
      />
      <Checkbox
        label="Compare with the period before"
        checked={state.compare}
        change={(compare) => go({ compare })}
      />
    </>
  );
}

function SignOut() {
  const { me } = useContext(SignedIn);
  const signOut = async (): Promise<void> => {
    await fetch('/api/sign-out', { method: 'POST' }).catch(() => undefined);
    location.assign('/');
  };
  if (me.via === 'proxy') return null;
  return (
    <button type="button" class="small sign-out" onClick={() => void signOut()}>
      Sign out
    </button>
  );
}

/** Shows the current filters: the values to which the view is limited, and the excluded values. */
function FilterChips() {
  const { state, go } = useNavigation();
  if (state.filters.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {state.filters.map((filter) => {
        const words = `${FIELDS[filter.field].label} ${filter.exclude ? 'is not' : 'is'} ${filter.value === '' ? '(none)' : filter.value}`;
        return (
          <li key={words} class={filter.exclude ? 'excluded' : ''}>
            <span title={words}>{words}</span>
            <button
              type="button"
              aria-label={`Remove filter: ${words}`}
              onClick={() =>
                go({ filters: state.filters.filter((other) => other !== filter), before: '' })
              }
            >
              ×
            </button>
          </li>
        );
      })}
      <li class="all">
        <button type="button" onClick={() => go({ filters: [], before: '' })}>
          Remove all
        </button>
      </li>
    </ul>
  );
}
