/**
 * How to compare a path that an origin could read in several ways, or a parameter that was sent twice. `some`: one
 * reading is enough, so that no visitor evades a strict rule by another spelling. `every`: all readings must match,
 * so that no visitor gets the benefit of a lenient rule by another spelling.
 */
export type Reading = 'some' | 'every';
