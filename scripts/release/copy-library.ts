import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What no program loads: types, sources of types, maps, and papers. A licence is none of them. */
const NOT_LOADED = /\.(?:map|[cm]?ts|tsx|flow|md|markdown)$/i;
/** In the folder of the package itself: deeper down a name says nothing, as `yaml/dist/doc` shows. */
const NOT_LOADED_FOLDERS =
  /^(?:node_modules|tests?|__tests__|docs?|benchmarks?|examples?|\.github|\.vscode)$/i;
const LICENCE = /^(?:licen[cs]e|copying|notice)/i;
/** Of other builds of the same, which Guard does not open. */
const OTHER_BUILDS = new RegExp(
  [
    '-ipv[46]\\.mmdb',
    '/zod/.*\\.cjs',
    '/(?:zod|zod-to-json-schema|ajv)/(?:src|lib|dist/(?:cjs|types))',
    '/yaml/browser',
    '/(?:nodemailer|hono|@modelcontextprotocol/sdk)/dist/cjs',
    '/lru-cache/dist/(?:commonjs|esm/(?:browser|react-native))',
    '/preact/(?:compat|debug|devtools|test-utils)',
    // Of a framework that the MCP library brings for its server's adapter alone.
    '/hono/dist/(?:adapter|jsx|middleware)',
    // Of these acme-client asks for the builds that require() gets.
    '/axios/(?:lib|dist/(?:browser|esm|axios[^/]*))',
    '/node-forge/(?:dist|flash)',
    '/tsyringe/dist/esm[^/]*',
    '/@peculiar/[^/]+/build/(?:es2015|x509(?:\\.es)?\\.js)',
    '/@opentelemetry/api/build/(?:esm|esnext)',
    '/re2js/build/index\\.(?:cjs|umd\\.js)',
    '/protobufjs/dist',
    '/long/index\\.js',
    '/@js-sdsl/ordered-map/dist/(?:esm|umd)',
    // Types alone, and messages of services that Guard does not offer.
    '/@grpc/grpc-js/(?:build/src/generated|proto)',
    // Of the command that makes types of .proto files.
    '/@grpc/proto-loader/build/bin',
    '/(?:yargs|yargs-parser|cliui|y18n)/(?:build|helpers|lib|locales)',
    '/emoji-regex/es2015',
  ]
    .map((path) => `${path}$`)
    .join('|'),
);
/** A program of the machine that installed it. Each machine fetches its own. */
const OTHER_PROGRAM = /\/esbuild\/bin$/;
/** What npm would act on: Guard starts no script of a library, and runs all of them on its own Node. */
const NOT_SAID = new Set([
  'scripts',
  'bin',
  'engines',
  'files',
  'devDependencies',
  'optionalDependencies',
]);

/** Copies a library without what no program loads. Its licence stays, in README.md where it has no file of its own. */
export function copyLibrary(from: string, to: string): void {
  const hasLicence = readdirSync(from).some((name) => LICENCE.test(name));
  cpSync(from, to, {
    recursive: true,
    filter: (path) => {
      const name = basename(path);
      if (path === from || LICENCE.test(name)) return true;
      if (/^readme/i.test(name)) return !hasLicence;
      if (OTHER_BUILDS.test(path) || OTHER_PROGRAM.test(path)) return false;
      if (dirname(path) === from && NOT_LOADED_FOLDERS.test(name)) return false;
      return !NOT_LOADED.test(name);
    },
  });
  const manifest = join(to, 'package.json');
  const said = JSON.parse(readFileSync(manifest, 'utf8')) as object; // npm read it before
  const kept = Object.entries(said).filter(([field]) => !NOT_SAID.has(field));
  writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
}
