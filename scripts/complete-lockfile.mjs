// Run after `npm install` changed package-lock.json: adds optional packages of other platforms that
// the registry at hand did not list. Without them `npm ci` refuses the lockfile wherever they exist.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const cpus = ['arm64', 'x64', 'ia32', 'arm'];
const systems = ['darwin', 'linux', 'win32', 'android'];

let added = 0;
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (lock.packages[path] !== undefined) continue;
    const words = name.split(/[/-]/);
    const cpu = cpus.find((candidate) => words.includes(candidate));
    const os = systems.find((candidate) => words.includes(candidate));
    if (cpu === undefined || os === undefined) continue;
    lock.packages[path] = { version, cpu: [cpu], optional: true, os: [os] };
    added += 1;
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
);
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`${added} optional packages of other platforms added`);
