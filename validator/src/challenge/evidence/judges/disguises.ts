import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** Says whether a function is native; a program that replaces it hides other replacements. */
const PRINTER = 'Function.toString';

/**
 * A disguise, as driver plug-ins put one on: several natives that say what this browser is are
 * Proxies, and so is the function that would tell. One of them is the navigator's own or its permissions: privacy
 * extensions hide that they wrap canvas, WebGL or what a browser plays, and leave those alone.
 */
export const judgeDisguises: Judge = ({ evidence }) => {
  const proxied = known(evidence.readings.disguises)?.proxied ?? [];
  const identity = proxied.filter((name) => name !== PRINTER);
  const saysWho = identity.some(
    (name) => name.startsWith('navigator.') || name === 'Permissions.query',
  );
  if (identity.includes('navigator.webdriver')) return 'disguised_natives';
  return proxied.includes(PRINTER) && saysWho && identity.length >= 2
    ? 'disguised_natives'
    : undefined;
};
