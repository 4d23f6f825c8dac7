import { ar } from './locales/ar.ts';
import { cs } from './locales/cs.ts';
import { de } from './locales/de.ts';
import { en } from './locales/en.ts';
import { es } from './locales/es.ts';
import { fr } from './locales/fr.ts';
import { he } from './locales/he.ts';
import { it } from './locales/it.ts';
import { ja } from './locales/ja.ts';
import { ko } from './locales/ko.ts';
import { nl } from './locales/nl.ts';
import { pl } from './locales/pl.ts';
import { ptBr } from './locales/pt-br.ts';
import { ptPt } from './locales/pt-pt.ts';
import { ru } from './locales/ru.ts';
import { sv } from './locales/sv.ts';
import { tr } from './locales/tr.ts';
import { uk } from './locales/uk.ts';
import { zhHans } from './locales/zh-hans.ts';
import { zhHant } from './locales/zh-hant.ts';
import type { Messages } from './messages.ts';

/**
 * Every language the pages speak. The first is used when none fits; of several with one primary
 * subtag, the first one is meant when a visitor names no region or script.
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
