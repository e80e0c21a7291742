import { parseStrictJson } from '../../core/json/strict-json.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../commit-history/first-parent-history.js'
import { isObjectDamage } from '../objects/object-errors.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { findTreeEntry } from '../objects/tree-format.js'
import { layoutVersion, metastoreFileName } from '../records/repository-layout.js'
import { unusableRepository } from '../repository-folder/inspect-folder.js'

/** Content of `metastore.json`. */
interface MetastoreFile {
  readonly name?: string
  readonly description?: string
  readonly oaiSets: readonly OaiSet[]
}

/** The content of the file, as `git-metastore init` writes it. */
export function encodeMetastoreFile(name: string): Buffer {
  return Buffer.from(`${JSON.stringify({ layout: layoutVersion, name, description: '' }, undefined, 2)}\n`)
}

/**
 * Reads `metastore.json` of a commit, not the file in the work tree.
 * @param dir the data folder, for messages; undefined for a commit that is being pushed
 * @throws ProblemError `unusable-repository` if the commit has another layout or a newer version; `damaged`
 */
export async function readMetastoreFile(
  dir: string | undefined,
  head: Oid,
  objects: ObjectReader,
  history: History,
): Promise<MetastoreFile> {
  const place = dir ?? `The pushed commit ${head.slice(0, 12)}`
  try {
    const { tree } = await history.commit(head)
    const entry = findTreeEntry((await objects.read(tree)).bytes, metastoreFileName)
    if (!entry) {
      if (dir === undefined)
        throw unusableRepository(`${place} has no ${metastoreFileName}. Restore it, and push again.`)
      throw unusableRepository(
        `${dir} is a Git repository, but not one of git-metastore: its commit ${head.slice(0, 12)} has no ` +
          `${metastoreFileName}. Make a new one with \`git-metastore init <folder>\`.`,
      )
    }
    if (!/^1006?/.test(entry.mode))
      throw unusableRepository(`${place}: ${metastoreFileName} is not a plain file. Restore it.`)
    return checked(place, (await objects.read(entry.oid)).bytes)
  } catch (error) {
    if (isObjectDamage(error)) {
      throw new ProblemError('damaged', `${place} is damaged: ${error.message}`, {}, { cause: error })
    }
    throw error
  }
}

function checked(place: string, bytes: Uint8Array): MetastoreFile {
  const where = `${place}: the committed ${metastoreFileName}`
  const json = parseStrictJson(bytes)
  if ('fault' in json)
    throw unusableRepository(`${where} cannot be read: ${json.fault.message} Correct it and commit.`)
  if (typeof json.value !== 'object' || json.value === null || !('layout' in json.value)) {
    throw unusableRepository(`${where} does not say the version of the layout ("layout": ${layoutVersion}).`)
  }
  const { layout, name, description, oaiSets } = json.value as Readonly<Record<string, unknown>>
  if (typeof layout !== 'number' || !Number.isSafeInteger(layout) || layout < 1) {
    throw unusableRepository(`${where} has a "layout" that is no version. It should be ${layoutVersion}.`)
  }
  if (layout > layoutVersion) {
    throw unusableRepository(
      `${place} has layout version ${layout}; this program knows ${layoutVersion}. Upgrade git-metastore.`,
    )
  }
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof description === 'string' && { description }),
    oaiSets: checkedSets(where, oaiSets),
  }
}

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
function checkedSets(where: string, sets: unknown): readonly OaiSet[] {
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
