import { stripTypeScriptTypes } from 'node:module';
import ts from 'typescript';

/** A module as JavaScript, and its string literals that can name other modules. */
export interface ModuleText {
  /** Types are replaced by blanks, so lines and columns are the same as in the TypeScript. */
  readonly js: string;
  readonly literals: readonly Literal[];
}

interface Literal {
  /** The position of the first character after the quote. */
  readonly at: number;
  readonly text: string;
}

/** Reads the text of a `.ts` or `.mjs` file. */
export function readModuleText(file: string, text: string): ModuleText {
  const js = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
  const source = ts.createSourceFile(`${file}.js`, js, ts.ScriptTarget.Latest);
  const literals: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) literals.push({ at: node.getStart(source) + 1, text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { js, literals };
}

/** Returns the JavaScript with other literals of the same length, so that positions do not change. */
export function renameLiterals(
  { js, literals }: ModuleText,
  nameOf: (literal: string) => string,
): string {
  let newText = js;
  for (const { at, text } of literals) {
    const name = nameOf(text);
    if (name === text) continue;
    if (name.length !== text.length) throw new Error(`${name} has not the length of ${text}.`);
    newText = newText.slice(0, at) + name + newText.slice(at + name.length);
  }
  return newText;
}
