import { parseSearchTerm } from '@guard/config/plain-words/search-term';
import { useState } from 'preact/hooks';
import { useNavigation } from '../navigation.tsx';
import { announce } from '../parts/announcer.tsx';
import { withFilter } from '../url-state.ts';

/** Accepts a text that names a visitor or a request, such as an address or an id, and detects its kind. */
export function SearchBox() {
  const { state, go } = useNavigation();
  const [typed, setTyped] = useState('');
  const search = (): void => {
    const term = parseSearchTerm(typed);
    switch (term.kind) {
      case 'nothing':
        return;
      case 'reference':
        go({ reference: term.value, event: '' });
        break;
      case 'request':
        go({ event: term.value, reference: '' });
        break;
      case 'address':
      case 'network':
      case 'session':
      case 'path': {
        const filter = { field: term.kind, value: term.value, exclude: false } as const;
        const { filters } = withFilter(state, filter);
        go({ filters, before: '', view: state.view === 'health' ? 'events' : state.view });
        announce(`The page shows requests of this ${term.kind}.`);
      }
    }
    setTyped('');
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <input
        type="search"
        aria-label="Search: reference code, address, session, request or path"
        placeholder="Reference code, address, session, path …"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <button type="submit">Find</button>
    </form>
  );
}
