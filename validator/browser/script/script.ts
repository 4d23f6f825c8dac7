import { begin } from './begin.ts';
import { runOnce } from './run.ts';

/** The browser script (contract 4.7, 6): reads and uploads once for each document, after the page has loaded. */

/** Set only while the script's own element runs. A module, or copied text, has no element. */
const element = document.currentScript;
if (element instanceof HTMLScriptElement) runOnce(element.src, begin);
