import { known } from '../evidence.ts';
import type { Judge } from './case.ts';

/** Says whether a function is native; whoever replaces it wants others not to be found. */
const PRINTER = 'Function.toString';

/**
 * A disguise, as driver plug-ins put one on: several natives that say what this browser is are
 * Proxies, and so is the function that would tell. Content blockers hide their own changes too, but
 * these lie in what pages load and time, not in the browser's identity; privacy extensions replace one
 * or two identity natives, with functions that anybody can see.
 */
export const judgeDisguises: Judge = ({ evidence }) => {
  const proxied = known(evidence.readings.disguises)?.proxied ?? [];
  const identity = proxied.filter((name) => name !== PRINTER);
  if (identity.includes('navigator.webdriver')) return 'disguised_natives';
  return proxied.includes(PRINTER) && identity.length >= 2 ? 'disguised_natives' : undefined;
};
