import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Files that no program loads: settings of tools, types, sources of types, maps, and documents. Licences are kept. */
const NOT_LOADED = /^\.|\.(?:map|[cm]?ts|tsx|flow|md|markdown)$/i;
/**
 * These folders are left out only directly in the folder of the package, because `yaml/dist/doc`, for example, is code.
 */
const NOT_LOADED_FOLDERS =
  /^(?:node_modules|tests?|__tests__|docs?|benchmarks?|examples?|\.github|\.vscode)$/i;
const LICENCE = /^(?:licen[cs]e|copying|notice)/i;
/** Other builds of the same code. Guard does not load them. */
const OTHER_BUILDS = new RegExp(
  [
    '-ipv[46]\\.mmdb',
    '/zod/.*\\.cjs',
    '/(?:zod|zod-to-json-schema|ajv)/(?:src|lib|dist/(?:cjs|types))',
    '/yaml/browser',
    '/(?:nodemailer|hono|@modelcontextprotocol/sdk)/dist/cjs',
    '/lru-cache/dist/(?:commonjs|esm/(?:browser|react-native))',
    '/preact/(?:compat|debug|devtools|test-utils)',
    // A framework that the MCP library needs only for an adapter of its server.
    '/hono/dist/(?:adapter|jsx|middleware)',
    // acme-client loads the builds for require().
    '/axios/(?:lib|dist/(?:browser|esm|axios[^/]*))',
    '/node-forge/(?:dist|flash)',
    '/tsyringe/dist/esm[^/]*',
    '/@peculiar/[^/]+/build/(?:es2015|x509(?:\\.es)?\\.js)',
    '/@opentelemetry/api/build/(?:esm|esnext)',
    '/re2js/build/index\\.(?:cjs|umd\\.js)',
    '/protobufjs/dist',
    '/long/index\\.js',
    '/@js-sdsl/ordered-map/dist/(?:esm|umd)',
    // Types, and messages of services that Guard does not have.
    '/@grpc/grpc-js/(?:build/src/generated|proto)',
    // Files of the command that makes types from .proto files.
    '/@grpc/proto-loader/build/bin',
    '/(?:yargs|yargs-parser|cliui|y18n)/(?:build|helpers|lib|locales)',
    '/emoji-regex/es2015',
  ]
    .map((path) => `${path}$`)
    .join('|'),
);
/** A program for this machine. Each machine fetches its own program. */
const OTHER_PROGRAM = /\/esbuild\/bin$/;
/** Fields with which npm would run scripts, create commands or check the version of Node. */
const NOT_SAID = new Set([
  'scripts',
  'bin',
  'engines',
  'files',
  'devDependencies',
  'optionalDependencies',
]);

/** Copies a library without files that no program loads. When the library has no licence file, README.md is kept. */
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
  const manifestFields = JSON.parse(readFileSync(manifest, 'utf8')) as object; // npm has already read this file
  const keptFields = Object.entries(manifestFields).filter(([field]) => !NOT_SAID.has(field));
  writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(keptFields), undefined, 2)}\n`);
}
