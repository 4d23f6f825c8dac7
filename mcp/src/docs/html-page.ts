import { escapeHtml } from './inline-html.ts';
import type { Page } from './page.ts';

/** Nothing runs, nothing is fetched from elsewhere, nobody frames the pages. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** One HTML document: navigation over `pages`, and `body`, which is HTML already. */
export function htmlPage(title: string, body: string, pages: readonly Page[]): string {
  const links = pages
    .map(
      ({ path, title: name }) => `<li><a href="${escapeHtml(path)}">${escapeHtml(name)}</a></li>`,
    )
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Guard</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<nav aria-label="Pages"><p class="brand"><a href="/">Guard</a></p><ul>${links}</ul></nav>
<main id="content">
${body}
</main>
</body>
</html>
`;
}

export const STYLESHEET = `:root {
  color-scheme: light dark;
  --ink: #1d2330; --soft: #5b6475; --paper: #ffffff; --shade: #f4f6f9; --line: #dfe4ec; --accent: #1f5fbf;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ef; --soft: #98a2b3; --paper: #12161d; --shade: #1a2029; --line: #2a323e; --accent: #7fb2ff; }
}
* { box-sizing: border-box; }
body {
  margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.6 system-ui, sans-serif;
  display: grid; grid-template-columns: 15rem minmax(0, 1fr);
}
nav { padding: 2rem 1.25rem; background: var(--shade); border-right: 1px solid var(--line); min-height: 100vh; }
nav ul { list-style: none; margin: 0; padding: 0; position: sticky; top: 1rem; }
nav li a { display: block; padding: .2rem 0; color: var(--soft); text-decoration: none; }
nav li a:hover, nav li a:focus { color: var(--accent); }
.brand a { color: var(--ink); font-weight: 700; font-size: 1.25rem; text-decoration: none; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; }
main { max-width: 54rem; padding: 2rem clamp(1rem, 4vw, 3rem) 4rem; }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 1rem; }
h2 { margin-top: 2.5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
a { color: var(--accent); }
code { font: .9em ui-monospace, monospace; background: var(--shade); padding: .1em .3em; border-radius: 3px; overflow-wrap: break-word; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: 1rem; overflow-x: auto; line-height: 1.45; }
pre code { padding: 0; background: none; overflow-wrap: normal; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95em; }
img { max-width: 100%; height: auto; }
th, td { text-align: left; vertical-align: top; padding: .45rem .6rem; border-bottom: 1px solid var(--line); }
@media (max-width: 45rem) {
  body { display: block; }
  nav { min-height: 0; border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem; }
}
`;
