/** The look of every page. Colours are variables with one dark set, so that a theme is a few lines. */
export const style = `
:root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--ink:#1b2130;--soft:#535c6f;--line:#dfe3ea;--accent:#2b5fd9;--on-accent:#fff}
@media (prefers-color-scheme:dark){:root{--ground:#12151c;--card:#1b2029;--ink:#eef1f6;--soft:#aab3c3;--line:#313947;--accent:#86acff;--on-accent:#0d1a38}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif}
main{width:100%;max-width:30rem;padding:2.25rem 2rem 1.75rem;background:var(--card);border:1px solid var(--line);border-radius:14px;box-shadow:0 1px 2px #0000000a,0 12px 32px #0000000f}
h1{margin:0 0 .75rem;font-size:1.375rem;line-height:1.3;font-weight:650;text-wrap:balance;overflow-wrap:break-word}
h1:focus{outline:0}
h2{margin:1.5rem 0 .25rem;font-size:1rem;line-height:1.4}
p,ul{margin:0 0 .75rem;color:var(--soft)}
ul{padding-inline-start:1.2rem}
li+li{margin-top:.3rem}
.mark{display:block;width:2.5rem;height:2.5rem;margin:0 0 1.25rem;margin-inline-start:-.4rem;fill:none;stroke:var(--accent);stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.bar{height:4px;margin:1.5rem 0 .25rem;border-radius:2px;background:var(--line);overflow:hidden}
.bar i{display:block;width:35%;height:100%;border-radius:2px;background:var(--accent);animation:pass 1.6s ease-in-out infinite alternate}
@keyframes pass{to{margin-inline-start:65%}}
@media (prefers-reduced-motion:reduce){.bar i{animation:none;width:100%;opacity:.6}}
button{margin:.75rem 0 .25rem;padding:.65rem 1.25rem;min-height:2.75rem;font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:1px solid transparent;border-radius:9px;cursor:pointer}
button:hover{filter:brightness(1.06)}
button:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
footer{margin-top:1.5rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.875rem;color:var(--soft)}
code{font:600 .95em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.08em;color:var(--ink);user-select:all}
@media (max-width:30rem){body{padding:1rem}main{padding:1.75rem 1.25rem 1.25rem}}
`
  .trim()
  .replaceAll('\n', '');

/** A shield: decoration, hidden from screen readers. */
export const mark =
  '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M12 3 5 5.6v5.3c0 4.4 2.9 7.9 7 9.6 4.1-1.7 7-5.2 7-9.6V5.6z"/></svg>';
