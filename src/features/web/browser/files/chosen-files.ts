import { words } from '../words.js'

/*
 * Files that a person drops or chooses.
 */

/** A file with its path in the dropped folder. */
export interface ChosenFile {
  readonly path: string
  readonly file: File
}

/** Limit of the files that are taken at once. */
const maxFiles = 5000

/** The files of a field. @throws Error if there are too many */
export function filesOfInput({ files }: HTMLInputElement): readonly ChosenFile[] {
  const found = [...(files ?? [])].map(file => ({ file, path: file.webkitRelativePath || file.name }))
  return bounded(visible(found))
}

/** The files that were dropped, with those of dropped folders. @throws Error if there are too many */
export async function filesOfDrop({ items }: DataTransfer): Promise<readonly ChosenFile[]> {
  // The browser empties the list of items when the event is over.
  const dropped = [...items].map(item => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found: ChosenFile[] = []
  for (const { entry, file } of dropped) {
    if (entry) await addFilesOf(entry, found)
    else if (file) found.push({ file, path: file.name })
  }
  // A folder gives its files in any order.
  return visible(found.sort((a, b) => (a.path < b.path ? -1 : 1)))
}

async function addFilesOf(entry: FileSystemEntry, found: ChosenFile[]): Promise<void> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    found.push({ file, path: entry.fullPath.replace(/^\//, '') })
    bounded(found)
  }
  if (!isFolder(entry)) return
  const reader = entry.createReader()
  // A reader gives a part of the entries each time, and none at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return
    for (const each of part) await addFilesOf(each, found)
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function bounded(files: readonly ChosenFile[]): readonly ChosenFile[] {
  if (files.length > maxFiles) throw new Error(words.files.tooMany(maxFiles))
  return files
}

/** Leaves out the files of operating systems: hidden ones, such as `.DS_Store`, and those of archives of macOS. */
function visible(files: readonly ChosenFile[]): readonly ChosenFile[] {
  return files.filter(({ path }) => !path.split('/').some(name => /^\.|^__MACOSX$/.test(name)))
}
