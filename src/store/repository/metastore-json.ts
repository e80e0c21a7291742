import { parseStrictJson } from '../../core/json/strict-json.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../commit-history/first-parent-history.js'
import { parseTree } from '../objects/commit-and-tree-parser.js'
import { isMissingOrDamaged, type ObjectReader } from '../objects/object-reader.js'
import { layoutVersion, metastoreFileName } from '../records/repository-layout.js'
import { unusableRepository } from './inspect-folder.js'

/** Content of `metastore.json`. */
interface MetastoreFile {
  readonly layout: number
  readonly name?: string
  readonly description?: string
  readonly oaiSets: readonly OaiSet[]
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

/** Most sets of a repository. */
const mostSets = 50
/** Longest text of a search. */
const longestSearch = 1000
/** Longest name of a set. */
const longestName = 300

/** The file as `init` writes it. */
export function encodeMetastoreFile(name: string, description: string): Buffer {
  return Buffer.from(`${JSON.stringify({ layout: layoutVersion, name, description }, undefined, 2)}\n`)
}

/**
 * Reads `metastore.json` of a commit; the file in the work tree does not count.
 * @throws ProblemError `unusable-repository` if the commit has another layout or a newer version; `damaged`
 */
export async function readMetastoreFile(
  dir: string,
  head: Oid,
  objects: ObjectReader,
  history: History,
): Promise<MetastoreFile> {
  try {
    const { tree } = await history.commit(head)
    const entry = parseTree((await objects.read(tree)).bytes).find(({ name }) => name === metastoreFileName)
    if (!entry) {
      throw unusableRepository(
        `${dir} is a Git repository, but not one of git-metastore: its commit ${head.slice(0, 12)} has no ` +
          `${metastoreFileName}. Make a new one with \`git-metastore init <folder>\`.`,
      )
    }
    if (!/^1006?/.test(entry.mode))
      throw unusableRepository(`${metastoreFileName} in ${dir} is not a plain file. Restore it.`)
    return checked(dir, (await objects.read(entry.oid)).bytes)
  } catch (error) {
    if (isMissingOrDamaged(error)) {
      throw new ProblemError('damaged', `${dir} is damaged: ${error.message}`, {}, { cause: error })
    }
    throw error
  }
}

function checked(dir: string, bytes: Uint8Array): MetastoreFile {
  const where = `${metastoreFileName} in the newest commit of ${dir}`
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
      `${dir} has layout version ${layout}; this program knows ${layoutVersion}. Upgrade git-metastore.`,
    )
  }
  return {
    layout,
    ...(typeof name === 'string' && { name }),
    ...(typeof description === 'string' && { description }),
    oaiSets: checkedSets(where, oaiSets),
  }
}

/** @throws ProblemError `unusable-repository` */
function checkedSets(where: string, sets: unknown): readonly OaiSet[] {
  if (sets === undefined) return []
  if (!Array.isArray(sets) || sets.length > mostSets)
    throw unusableRepository(`${where} has "oaiSets" that are no list of at most ${mostSets} sets.`)
  const specs = new Set<string>()
  return sets.map((set: unknown, at) => {
    const refuse = (why: string) =>
      unusableRepository(
        `${where}: "oaiSets" has at place ${at + 1} a set that ${why}. A set is {"spec": "sem", "name": "Scanning ` +
          'electron microscopy", "q": "instrument.name:SEM"}.',
      )
    const { spec, name, q } = (typeof set === 'object' && set !== null ? set : {}) as Readonly<
      Record<string, unknown>
    >
    // The characters that the protocol allows, without the colon of sets below others.
    if (typeof spec !== 'string' || !/^[\w\-.!~*'()]{1,100}$/.test(spec))
      throw refuse(`has no "spec" of letters, digits and -_.!~*'()`)
    if ((ownSetGroups as readonly string[]).includes(spec) || specs.has(spec))
      throw refuse(`has the "spec" of another set, ${spec}`)
    specs.add(spec)
    if (typeof name !== 'string' || name.trim() === '' || name.length > longestName)
      throw refuse(`has no "name" of at most ${longestName} characters`)
    if (typeof q !== 'string' || q.trim() === '' || q.length > longestSearch)
      throw refuse(`has no search "q" of at most ${longestSearch} characters`)
    return { spec, name, q }
  })
}
