/**
 * Mebibytes a thread may have of objects it has just made, before it looks which of them are still of use. V8 takes 48 by
 * default, in each thread, and one at work fills them whatever it does: with 12 a server under load needs some 40 MB less,
 * and no more time.
 */
export const youngGeneration = 12
