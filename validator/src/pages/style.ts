import type { Branding } from '@guard/config/settings/sections/branding';
import { CARD } from '@guard/config/settings/values/colour';

/**
 * The style of the content of every page. A challenge page with an organisation's own document gets only this style.
 * Colours are variables, so that a theme needs only a few lines.
 */
export const screenStyle = oneLine(`
:root{color-scheme:light dark;--guard-ground:#f3f5f8;--guard-card:${CARD.light};--guard-ink:#1b2130;--guard-soft:#4d566a;--guard-line:#dfe3ea;--guard-accent:#2b5fd9;--guard-on-accent:#fff}
@media (prefers-color-scheme:dark){:root{--guard-ground:#12151c;--guard-card:${CARD.dark};--guard-ink:#eef1f6;--guard-soft:#b3bccb;--guard-line:#3a4352;--guard-accent:#86acff;--guard-on-accent:#0d1a38}}
.guard,.guard *{box-sizing:border-box}
.guard{color:var(--guard-ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif}
.guard [hidden]{display:none!important}
.guard h1{margin:0 0 .75rem;font-size:1.375rem;line-height:1.3;font-weight:650;text-wrap:balance;overflow-wrap:anywhere}
.guard h1:focus{outline:0}
.guard h2{margin:1.5rem 0 .25rem;font-size:1rem;line-height:1.4}
.guard p,.guard ul{margin:0 0 .75rem;color:var(--guard-soft);overflow-wrap:anywhere}
.guard ul{padding-inline-start:1.2rem}
.guard li+li{margin-top:.3rem}
.guard .guard-bar{height:4px;margin:1.5rem 0 .25rem;border-radius:2px;background:var(--guard-line);overflow:hidden}
.guard .guard-bar i{display:block;width:35%;height:100%;border-radius:2px;background:var(--guard-accent);animation:guard-pass 1.6s ease-in-out infinite alternate}
@keyframes guard-pass{to{margin-inline-start:65%}}
@media (prefers-reduced-motion:reduce){.guard .guard-bar i{animation:none;width:100%;opacity:.6}}
.guard button{margin:.75rem 0 .25rem;margin-inline-end:.75rem;padding:.65rem 1.25rem;min-height:2.75rem;font:inherit;font-weight:600;color:var(--guard-on-accent);background:var(--guard-accent);border:1px solid transparent;border-radius:9px;cursor:pointer;max-width:100%;overflow-wrap:anywhere}
.guard button.guard-quiet{color:var(--guard-ink);background:none;border-color:var(--guard-soft)}
.guard button:hover{filter:brightness(1.06)}
.guard button:focus-visible,.guard a:focus-visible{outline:3px solid var(--guard-ink);outline-offset:3px}
.guard footer{margin-top:1.5rem;padding-top:1rem;border-top:1px solid var(--guard-line);font-size:.875rem;color:var(--guard-soft);overflow-wrap:anywhere}
.guard footer span{display:block}
.guard a{color:var(--guard-ink)}
.guard code{font:600 .95em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.08em;color:var(--guard-ink);user-select:all}
@media (forced-colors:active){.guard button{border-color:ButtonText}.guard .guard-bar{border:1px solid CanvasText}.guard .guard-bar i{background:Highlight;forced-color-adjust:none}}
`);

/** The style of the built-in document: the background and the card around the content. */
export const cardStyle = oneLine(`
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;grid-template-columns:minmax(0,1fr);place-items:center;padding:1.5rem;background:var(--guard-ground)}
main{width:100%;max-width:31rem;padding:2.25rem 2rem 1.75rem;background:var(--guard-card);border:1px solid var(--guard-line);border-radius:14px;box-shadow:0 1px 2px #0000000a,0 12px 32px #0000000f}
.guard-mark{display:block;width:2.5rem;height:2.5rem;margin:0 0 1.25rem;margin-inline-start:-.4rem;fill:none;stroke:var(--guard-accent);stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.guard-brand{display:flex;align-items:center;gap:.75rem;margin:0 0 1.5rem;color:var(--guard-ink);font:650 1.0625rem/1.3 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif;overflow-wrap:anywhere}
.guard-brand img{display:block;max-width:12rem;max-height:3rem}
@media (max-width:30rem){body{padding:1rem}main{padding:1.75rem 1.25rem 1.25rem}}
`);

/** The colours of an organisation as CSS. Empty when it sets no colours. */
export function themeStyle({ accent, background, background_dark: dark }: Branding): string {
  const light = variables(accent?.light, background);
  const darker = variables(accent?.dark, dark);
  return (
    (light === '' ? '' : `:root{${light}}`) +
    (darker === '' ? '' : `@media (prefers-color-scheme:dark){:root{${darker}}}`)
  );
}

function variables(
  shade: { readonly accent: string; readonly onAccent: string } | undefined,
  ground: string | undefined,
): string {
  const colours = shade
    ? `--guard-accent:${shade.accent};--guard-on-accent:${shade.onAccent};`
    : '';
  return colours + (ground === undefined ? '' : `--guard-ground:${ground}`);
}

function oneLine(css: string): string {
  return css.trim().replaceAll('\n', '');
}

/** A shield as decoration. Screen readers ignore it. */
export const shield =
  '<svg class="guard-mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M12 3 5 5.6v5.3c0 4.4 2.9 7.9 7 9.6 4.1-1.7 7-5.2 7-9.6V5.6z"/></svg>';
