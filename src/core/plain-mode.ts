/** The environment variable that switches all fast paths off. Tests only. */
const plainVariable = 'METASTORE_PLAIN'

/**
 * Whether the plain path is used instead of each fast path. A fast path exists for speed alone: the plain path behind
 * the same interface gives the same results. Files that put parts together read this constant, and choose.
 * @see docs/decisions/011-fast-paths.md
 */
export const isPlain = process.env[plainVariable] === '1'
