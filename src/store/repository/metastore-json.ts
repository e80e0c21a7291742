import { parseStrictJson } from '../../core/json/strict-json.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../commit-history/first-parent-history.js'
import { isObjectDamage } from '../objects/object-errors.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { findTreeEntry } from '../objects/tree-format.js'
import { layoutVersion, metastoreFileName } from '../records/repository-layout.js'
import { unusableRepository } from '../repository-folder/inspect-folder.js'
import { checkedSets, type OaiSet } from './oai-sets.js'

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
