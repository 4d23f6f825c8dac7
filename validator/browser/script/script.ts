import { begin } from './begin.ts';
import { runOnce } from './run.ts';

/**
 * The browser script (contract 4.7, 6): it reads and uploads evidence once for each document, after the page has
 * loaded.
 */

/**
 * The browser sets `currentScript` only while a script element runs. A module, or text copied into another script, has
 * no such element.
 */
const element = document.currentScript;
if (element instanceof HTMLScriptElement) runOnce(element.src, begin);
