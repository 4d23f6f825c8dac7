import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../../docs/guide/images/', import.meta.url);

/** The pictures of the pages by their path, `/images/<name>.png`, read once. */
export function loadPictures(): Map<string, Buffer> {
  const names = readdirSync(FOLDER).filter((name) => /^[a-z0-9-]+\.png$/.test(name));
  return new Map(names.map((name) => [`/images/${name}`, readFileSync(new URL(name, FOLDER))]));
}
