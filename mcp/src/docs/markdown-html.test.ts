import { expect, test } from 'vitest';
import { renderMarkdown } from './markdown-html.ts';

test.each([
  ['## A `b`', '<h2 id="a-b">A <code>b</code></h2>'],
  ['one\ntwo\n\nthree', '<p>one\ntwo</p>\n<p>three</p>'],
  ['a **b** *c* `**d**`', '<p>a <strong>b</strong> <em>c</em> <code>**d**</code></p>'],
  ['[a](/b#c)', '<p><a href="/b#c">a</a></p>'],
  ['- a\n  b\n- c', '<ul>\n<li>a\nb</li>\n<li>c</li>\n</ul>'],
  ['1. a\n2. b', '<ol>\n<li>a</li>\n<li>b</li>\n</ol>'],
  ['```sh\n# a\n\n<b>\n```\nc', '<pre><code># a\n\n&lt;b&gt;</code></pre>\n<p>c</p>'],
  [
    '| a | b |\n|---|---|\n| 1 | `x\\|y` |',
    '<div class="table"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>\n<tr><td>1</td><td><code>x|y</code></td></tr>\n</tbody></table></div>',
  ],
])('renders %j', (markdown, html) => {
  expect(renderMarkdown(markdown)).toBe(html);
});

test.each([
  '<script>alert(1)</script>',
  '`<script>`',
  '# <script>',
  '| <script> |\n|---|\n| <script> |',
  '[a](javascript:alert(1))',
  '[a](/x" onclick="alert(1))',
])('nothing in %j becomes markup of its own', (markdown) => {
  expect(renderMarkdown(markdown)).not.toMatch(/<script|href="javascript|" onclick="/);
});

test('a code fence that is never closed ends with the text', () => {
  expect(renderMarkdown('```\na')).toContain('<pre>');
});
