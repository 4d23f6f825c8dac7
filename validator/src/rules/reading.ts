/**
 * How to compare a path with several readings, or a parameter that was sent twice. `some`: one matching reading is
 * enough, so that no visitor evades a strict rule with another spelling. `every`: all readings must match, so that no
 * visitor passes by a lenient rule with another spelling.
 */
export type Reading = 'some' | 'every';
