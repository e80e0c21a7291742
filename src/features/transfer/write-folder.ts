import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StoredRecord } from '../../core/records/record.js'
import { makeFolder } from '../../store/file-system/make-folder.js'
import { encodeRecord } from '../../store/records/record-json.js'
import { documentFileName, recordDirectory, recordFile } from '../../store/records/repository-layout.js'
import type { ExportedItem } from './export-records.js'
import { versionsFolder } from './read-folder.js'

/**
 * Writes an item to the directory that it has in a repository. An earlier revision there is moved to a folder below it.
 * @returns path of the document below the root; undefined for a removal
 */
export async function writeItem(root: string, { item, revision }: ExportedItem): Promise<string | undefined> {
  const { kind, id, number = 1, state } = item
  const directory = recordDirectory(kind, id)
  const folder = join(root, directory)
  if (!state || !revision) {
    await rm(folder, { recursive: true, force: true })
    return undefined
  }
  if (number > 1) await moveAside(folder, number - 1)
  const document = documentFileName(kind, revision.documentType)
  const files: (readonly [string, Uint8Array])[] = [
    [recordFile, encodeRecord(state.record as unknown as StoredRecord)],
    [document, state.document],
    ...state.files,
  ]
  for (const [path, bytes] of files) {
    await makeFolder(dirname(join(folder, path)))
    await writeFile(join(folder, path), bytes)
  }
  return `${directory}/${document}`
}

async function moveAside(folder: string, number: number): Promise<void> {
  const aside = join(folder, versionsFolder, String(number))
  await makeFolder(aside)
  for (const name of await readdir(folder)) {
    if (name !== versionsFolder) await rename(join(folder, name), join(aside, name))
  }
}
