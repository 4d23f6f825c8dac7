/**
 * How a path that an origin could read in several ways, or a parameter that was sent twice, is compared:
 * one reading is enough, so that no visitor evades a rule by writing it differently; or all of them must
 * match, so that no visitor slips under a rule that is lenient.
 */
export type Reading = 'some' | 'every';
