import { nearestName } from '@guard/config/settings/problems/nearest-name';
import { OriginAddress } from '@guard/config/settings/values/values';
import { type ApplicationName, APPLICATIONS } from '../applications/applications.ts';
import { APPLICATION_NAMES, recogniseOrigin } from '../applications/recognise.ts';
import type { Answers, Question } from './answers.ts';
import { answerOf, type AskPerson } from './ask-questions.ts';

export interface Chosen {
  readonly application: ApplicationName | undefined;
  /** What the user has to know about the choice, as a phrase. */
  readonly note: string | undefined;
}

const REMEDY = '--application NAME adds the presets and rules of one';

/**
 * Which application the settings are for. The option decides. Without it the origin is asked, and then the person. A
 * text is a sentence about a mistake.
 */
export async function chooseApplication(
  { site, origin }: Answers,
  { application: given, offline }: { application?: string | undefined; offline: boolean },
  ask: AskPerson | undefined,
): Promise<Chosen | string> {
  if (given !== undefined) return chosen(await answerOf(questionAbout('none', ''), given, ask));
  if (offline) return none(`the origin was not asked which application it is: ${REMEDY}`);
  const found = await recogniseOrigin(OriginAddress.parse(origin), site);
  switch (found.kind) {
    case 'unknown':
      return none(undefined);
    case 'silent':
      return none(`no application was recognised without an answer (${found.why}): ${REMEDY}`);
    case 'recognised': {
      const looks = `origin looks like ${APPLICATIONS[found.name].title} (${found.sign})`;
      const question = questionAbout(found.name, `The ${looks}`);
      const note = `the ${looks}, so its presets and rules were added: --application none leaves them out`;
      return chosen(await answerOf(question, undefined, ask), ask ? undefined : note);
    }
  }
}

function questionAbout(
  usual: ApplicationName | 'none',
  looks: string,
): Question<ApplicationName | undefined> {
  return {
    text: `${looks}. Whose presets and rules are added? (a name, or none)`,
    usual,
    read(answer) {
      const value = APPLICATION_NAMES.find((name) => name === answer);
      if (value !== undefined || answer === 'none') return { kind: 'read', value };
      const near = nearestName(answer, APPLICATION_NAMES);
      const meant = near === undefined ? '' : `; did you mean ${near}?`;
      const names = [...APPLICATION_NAMES, 'none'].join(', ');
      return { kind: 'wrong', message: `${JSON.stringify(answer)} is none of ${names}${meant}` };
    },
  };
}

type Answer = ReturnType<Question<ApplicationName | undefined>['read']>;

function chosen(answer: Answer, note?: string): Chosen | string {
  return answer.kind === 'read'
    ? { application: answer.value, note }
    : `--application: ${answer.message}`;
}

function none(note: string | undefined): Chosen {
  return { application: undefined, note };
}
