import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** The function that shows whether another function is native. A program that replaces it hides other replacements. */
const PRINTER = 'Function.toString';

/**
 * A disguise as driver plug-ins use it: several native functions that identify the browser are Proxies, and so is
 * the function that would reveal this. At least one belongs to the navigator or its permissions. Privacy extensions
 * hide that they wrap canvas, WebGL or media functions, and do not touch those.
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
