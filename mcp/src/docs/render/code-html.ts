import { escapeHtml } from './inline-html.ts';

type TokenKind = 'comment' | 'string' | 'word';

/** The patterns to highlight in a language. If several patterns match, the first one is used. */
type Grammar = readonly (readonly [TokenKind, RegExp])[];

const HASH_COMMENT = ['comment', /(?<=^|\s)#.*/] as const;
const DOUBLE_QUOTED = ['string', /"(?:[^"\\\n]|\\.)*"/] as const;
const SINGLE_QUOTED = ['string', /'(?:[^'\\\n]|\\.)*'/] as const;

const yaml: Grammar = [
  HASH_COMMENT,
  DOUBLE_QUOTED,
  SINGLE_QUOTED,
  ['word', /(?<=^\s*(?:- )*|[{,] *)[\w.-]+(?=:(?:\s|$))/],
];
const shell: Grammar = [HASH_COMMENT, DOUBLE_QUOTED, SINGLE_QUOTED];
const script: Grammar = [
  ['comment', /(?<=^|\s)\/\/.*/],
  DOUBLE_QUOTED,
  SINGLE_QUOTED,
  [
    'word',
    /\b(?:async|await|const|else|export|for|from|function|if|import|let|new|return|throw|try|catch)\b/,
  ],
];

const grammars: Readonly<Record<string, Grammar>> = {
  yaml,
  yml: yaml,
  sh: shell,
  nginx: shell,
  caddy: shell,
  haproxy: shell,
  toml: shell,
  json: [['word', /"(?:[^"\\\n]|\\.)*"(?=\s*:)/], DOUBLE_QUOTED],
  sql: [
    ['comment', /--.*/],
    SINGLE_QUOTED,
    [
      'word',
      /\b(?:AND|AS|ASC|BY|CASE|DESC|DISTINCT|ELSE|END|FORMAT|FROM|GROUP|HAVING|IN|INTERVAL|IS|JOIN|LIKE|LIMIT|NOT|NULL|ON|OR|ORDER|SELECT|THEN|UNION|WHEN|WHERE|WITH)\b/,
    ],
  ],
  js: script,
  ts: script,
  python: [
    HASH_COMMENT,
    DOUBLE_QUOTED,
    SINGLE_QUOTED,
    [
      'word',
      /\b(?:as|class|def|elif|else|except|for|from|if|import|in|not|return|try|while|with)\b/,
    ],
  ],
};

/** Renders a code block. Comments, strings and keywords get an element with a class. */
export function renderCode(language: string, code: string): string {
  const label = escapeHtml(language === '' ? 'Text' : language);
  return `<pre tabindex="0" role="group" aria-label="Code: ${label}"><code>${highlight(code, grammarOf(language))}</code></pre>`;
}

function grammarOf(language: string): Grammar {
  return Object.hasOwn(grammars, language) ? (grammars[language] ?? []) : [];
}

function highlight(code: string, grammar: Grammar): string {
  if (grammar.length === 0) return escapeHtml(code);
  const anyToken = new RegExp(grammar.map(([, { source }]) => `(${source})`).join('|'), 'gm');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(anyToken)) {
    const [text, ...groups] = match;
    const kind = grammar[groups.findIndex(Boolean)]?.[0] ?? 'word';
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(text)}</span>`;
    end = match.index + text.length;
  }
  return html + escapeHtml(code.slice(end));
}
