import { begin } from './begin.ts';
import { runOnce } from './run.ts';

/** The browser script (contract 4.7, 6): reads and uploads once for each document, after the page has loaded. */

/** Known only while the script's own element runs; a module or a copied text has none. */
const element = document.currentScript;
if (element instanceof HTMLScriptElement) runOnce(element.src, begin);
