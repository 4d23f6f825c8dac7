import ar from './locales/ar.json' with { type: 'json' };
import cs from './locales/cs.json' with { type: 'json' };
import de from './locales/de.json' with { type: 'json' };
import en from './locales/en.json' with { type: 'json' };
import es from './locales/es.json' with { type: 'json' };
import fr from './locales/fr.json' with { type: 'json' };
import he from './locales/he.json' with { type: 'json' };
import it from './locales/it.json' with { type: 'json' };
import ja from './locales/ja.json' with { type: 'json' };
import ko from './locales/ko.json' with { type: 'json' };
import nl from './locales/nl.json' with { type: 'json' };
import pl from './locales/pl.json' with { type: 'json' };
import ptBr from './locales/pt-br.json' with { type: 'json' };
import ptPt from './locales/pt-pt.json' with { type: 'json' };
import ru from './locales/ru.json' with { type: 'json' };
import sv from './locales/sv.json' with { type: 'json' };
import tr from './locales/tr.json' with { type: 'json' };
import uk from './locales/uk.json' with { type: 'json' };
import zhHans from './locales/zh-hans.json' with { type: 'json' };
import zhHant from './locales/zh-hant.json' with { type: 'json' };
import type { Messages } from './messages.ts';

/**
 * All languages of the pages. A visitor for whom no language fits gets the first one. When several languages have the
 * same primary subtag, a visitor without a region or script gets the first of these.
 */
export const languages: readonly [Messages, ...Messages[]] = [
  en,
  de,
  fr,
  es,
  it,
  ptBr,
  ptPt,
  nl,
  pl,
  cs,
  sv,
  tr,
  ru,
  uk,
  ja,
  zhHans,
  zhHant,
  ko,
  ar,
  he,
];
