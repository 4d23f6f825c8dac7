import { createInterface } from 'node:readline';
import { type Answers, QUESTION_NAMES, type Question, QUESTIONS } from './answers.ts';

type GivenAnswers = { readonly [Name in keyof Answers]?: string | undefined };

/** The next line that a person types after `text`. Undefined at the end of the input. */
export type AskPerson = (text: string) => Promise<string | undefined>;

/**
 * Answers all questions. An option answers its question. Without the option the person is asked. When there is no
 * person, the answer is the default. When the result is a text, it is a sentence about a wrong option.
 */
export async function askQuestions(
  givenAnswers: GivenAnswers,
  ask: AskPerson | undefined,
): Promise<Answers | string> {
  const answers: Partial<Record<keyof Answers, unknown>> = {};
  for (const name of QUESTION_NAMES) {
    const question: Question<unknown> = QUESTIONS[name];
    const answer = await answerOf(question, givenAnswers[name], ask);
    if (answer.kind === 'wrong') return `--${name}: ${answer.message}`;
    answers[name] = answer.value;
  }
  return answers as Answers;
}

export async function answerOf<T>(
  { text, defaultAnswer, parse }: Question<T>,
  givenAnswer: string | undefined,
  ask: AskPerson | undefined,
): Promise<ReturnType<Question<T>['parse']>> {
  if (givenAnswer !== undefined) return parse(givenAnswer);
  if (ask === undefined) return parse(defaultAnswer);
  let hint = '';
  for (;;) {
    const line = await ask(`${hint}${text} [${defaultAnswer}] `);
    if (line === undefined) return { kind: 'wrong', message: 'the input ended without an answer' };
    const answer = parse(line.trim() || defaultAnswer);
    if (answer.kind === 'read') return answer;
    hint = `  ${answer.message}.\n`;
  }
}

/** Asks on the terminal. `close` releases the terminal. */
export function openTerminal(): { readonly ask: AskPerson; readonly close: () => void } {
  const lines = createInterface({ input: process.stdin });
  // This iterator keeps lines that arrive before their question, such as pasted answers.
  const typedLines = lines[Symbol.asyncIterator]();
  return {
    async ask(text) {
      // The question is written to stderr, because stdout is only for the result.
      process.stderr.write(text);
      const line = await typedLines.next();
      return line.done === true ? undefined : line.value;
    },
    close: () => {
      lines.close();
    },
  };
}
