import { nearestName } from '@guard/config/settings/problems/nearest-name';
import { OriginAddress } from '@guard/config/settings/values/values';
import { type ApplicationName, APPLICATIONS } from '../applications/applications.ts';
import { APPLICATION_NAMES, recogniseOrigin } from '../applications/recognise.ts';
import type { Answers, Question } from './answers.ts';
import { answerOf, type AskPerson } from './ask-questions.ts';

export interface ApplicationChoice {
  readonly application: ApplicationName | undefined;
  /** A phrase with a fact that the user has to know about the choice. */
  readonly note: string | undefined;
}

const REMEDY = '--application NAME adds the presets and rules of one';

/**
 * Chooses the application for the settings. The option decides. Without the option, the origin is asked, and then the
 * person can accept or refuse. When the result is a text, it is a sentence about a mistake.
 */
export async function chooseApplication(
  { site, origin }: Answers,
  { application: givenName, offline }: { application?: string | undefined; offline: boolean },
  ask: AskPerson | undefined,
): Promise<ApplicationChoice | string> {
  if (givenName !== undefined)
    return choiceFrom(await answerOf(questionAbout('none', ''), givenName, ask));
  if (offline) return noApplication(`the origin was not asked which application it is: ${REMEDY}`);
  const recognition = await recogniseOrigin(OriginAddress.parse(origin), site);
  switch (recognition.kind) {
    case 'unknown':
      return noApplication(undefined);
    case 'silent':
      return noApplication(
        `no application was recognised without an answer (${recognition.why}): ${REMEDY}`,
      );
    case 'recognised': {
      const finding = `origin looks like ${APPLICATIONS[recognition.name].title} (${recognition.sign})`;
      const question = questionAbout(recognition.name, `The ${finding}`);
      const note = `the ${finding}, so its presets and rules were added: --application none leaves them out`;
      return choiceFrom(await answerOf(question, undefined, ask), ask ? undefined : note);
    }
  }
}

function questionAbout(
  defaultAnswer: ApplicationName | 'none',
  finding: string,
): Question<ApplicationName | undefined> {
  return {
    text: `${finding}. Whose presets and rules are added? (a name, or none)`,
    defaultAnswer,
    parse(answer) {
      const value = APPLICATION_NAMES.find((name) => name === answer);
      if (value !== undefined || answer === 'none') return { kind: 'read', value };
      const near = nearestName(answer, APPLICATION_NAMES);
      const suggestion = near === undefined ? '' : `; did you mean ${near}?`;
      const names = [...APPLICATION_NAMES, 'none'].join(', ');
      const message = `${JSON.stringify(answer)} is none of ${names}${suggestion}`;
      return { kind: 'wrong', message };
    },
  };
}

type Answer = ReturnType<Question<ApplicationName | undefined>['parse']>;

function choiceFrom(answer: Answer, note?: string): ApplicationChoice | string {
  return answer.kind === 'read'
    ? { application: answer.value, note }
    : `--application: ${answer.message}`;
}

function noApplication(note: string | undefined): ApplicationChoice {
  return { application: undefined, note };
}
