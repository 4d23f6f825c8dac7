import { useNavigation } from '../navigation.tsx';
import { FIELDS } from '../sql/fields.ts';

/** What was chosen to be shown only, or to be left out. */
export function FilterChips() {
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
                go({ filters: state.filters.filter((one) => one !== filter), before: '' })
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
