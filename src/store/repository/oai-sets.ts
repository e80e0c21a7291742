import { unusableRepository } from '../repository-folder/inspect-folder.js'

/** A set for harvesters: the metadata that a search finds. */
export interface OaiSet {
  readonly spec: string
  readonly name: string
  /** The text of the search. */
  readonly q: string
}

/** The names of sets that every repository has. */
export const ownSetGroups = ['default', 'type', 'resourcetype', 'schema'] as const

/** Limit of the sets of a repository. */
const maxSets = 50
/** Limit of the text of a search, in characters. */
const maxSearchLength = 1000
/** Limit of the name of a set, in characters. */
const maxNameLength = 300

/**
 * Reads `oaiSets` of `metastore.json`.
 * @param where names the file in an error
 * @throws ProblemError `unusable-repository`
 * @see docs/use/harvesting.md#sets-of-your-own
 */
export function checkedSets(where: string, sets: unknown): readonly OaiSet[] {
  if (sets === undefined) return []
  if (!Array.isArray(sets) || sets.length > maxSets)
    throw unusableRepository(`${where} has "oaiSets" that are no list of at most ${maxSets} sets.`)
  const specs = new Set<string>()
  return sets.map((set: unknown, index) => {
    const refuse = (why: string) =>
      unusableRepository(
        `${where}: "oaiSets" has at place ${index + 1} a set that ${why}. A set is {"spec": "sem", "name": "Scanning ` +
          'electron microscopy", "q": "instrument.name:SEM"}.',
      )
    const { spec, name, q } = (typeof set === 'object' && set !== null ? set : {}) as Readonly<
      Record<string, unknown>
    >
    // The characters that OAI-PMH allows, except the colon, which separates the levels of a hierarchy of sets.
    if (typeof spec !== 'string' || !/^[\w\-.!~*'()]{1,100}$/.test(spec))
      throw refuse(`has no "spec" of letters, digits and -_.!~*'()`)
    if ((ownSetGroups as readonly string[]).includes(spec) || specs.has(spec))
      throw refuse(`has the "spec" of another set, ${spec}`)
    specs.add(spec)
    if (typeof name !== 'string' || name.trim() === '' || name.length > maxNameLength)
      throw refuse(`has no "name" of at most ${maxNameLength} characters`)
    if (typeof q !== 'string' || q.trim() === '' || q.length > maxSearchLength)
      throw refuse(`has no search "q" of at most ${maxSearchLength} characters`)
    return { spec, name, q }
  })
}
