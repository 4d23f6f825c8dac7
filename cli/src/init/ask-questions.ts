import { createInterface } from 'node:readline';
import { type Answers, QUESTION_NAMES, type Question, QUESTIONS } from './answers.ts';

/** The answers from command-line options. */
export type Given = { readonly [Name in keyof Answers]?: string | undefined };

/** The next line that a person types after `text`. Undefined at the end of the input. */
export type AskPerson = (text: string) => Promise<string | undefined>;

/**
 * The answer to a question comes from its option, else from the person, else it is the default. A wrong answer is asked
 * again. A text is a sentence about a wrong option.
 */
export async function askQuestions(
  given: Given,
  ask: AskPerson | undefined,
): Promise<Answers | string> {
  const answers: Partial<Record<keyof Answers, unknown>> = {};
  for (const name of QUESTION_NAMES) {
    const question: Question<unknown> = QUESTIONS[name];
    const read = await answerOf(question, given[name], ask);
    if (read.kind === 'wrong') return `--${name}: ${read.message}`;
    answers[name] = read.value;
  }
  return answers as Answers;
}

/** The answer to one question, as {@link askQuestions} gets it. */
export async function answerOf<T>(
  { text, usual, read }: Question<T>,
  given: string | undefined,
  ask: AskPerson | undefined,
): Promise<ReturnType<Question<T>['read']>> {
  if (given !== undefined) return read(given);
  if (ask === undefined) return read(usual);
  let hint = '';
  for (;;) {
    const typed = await ask(`${hint}${text} [${usual}] `);
    if (typed === undefined) return { kind: 'wrong', message: 'the input ended without an answer' };
    const answer = read(typed.trim() || usual);
    if (answer.kind === 'read') return answer;
    hint = `  ${answer.message}.\n`;
  }
}

/** Asks on the terminal. `close` releases the terminal. */
export function openTerminal(): { readonly ask: AskPerson; readonly close: () => void } {
  const lines = createInterface({ input: process.stdin });
  // Keeps lines that arrive before their question, such as pasted answers.
  const typed = lines[Symbol.asyncIterator]();
  return {
    async ask(text) {
      // Standard output is reserved for the result.
      process.stderr.write(text);
      const next = await typed.next();
      return next.done === true ? undefined : next.value;
    },
    close: () => {
      lines.close();
    },
  };
}
