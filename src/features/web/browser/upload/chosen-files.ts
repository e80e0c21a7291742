/*
 * Files that a person drops or chooses.
 */

/** A file with its path in the dropped folder. */
export interface ChosenFile {
  readonly path: string
  readonly file: File
}

/** The files of a field. */
export function filesOfInput({ files }: HTMLInputElement): readonly ChosenFile[] {
  return visible([...(files ?? [])].map(file => ({ file, path: file.webkitRelativePath || file.name })))
}

/** The files that were dropped, with those of dropped folders. */
export async function filesOfDrop({ items }: DataTransfer): Promise<readonly ChosenFile[]> {
  // The browser empties the list of items when the event is over.
  const dropped = [...items].map(item => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found = await Promise.all(
    dropped.map(({ entry, file }) =>
      entry ? filesOfEntry(entry) : Promise.resolve(file ? [{ file, path: file.name }] : []),
    ),
  )
  return visible(found.flat())
}

async function filesOfEntry(entry: FileSystemEntry): Promise<readonly ChosenFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ file, path: entry.fullPath.replace(/^\//, '') }]
  }
  if (!isFolder(entry)) return []
  const reader = entry.createReader()
  const files: ChosenFile[] = []
  // A reader gives a part of the entries each time, and none at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return files
    for (const each of part) files.push(...(await filesOfEntry(each)))
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

/** Files of the operating system, such as `.DS_Store`, are hidden. */
function visible(files: readonly ChosenFile[]): readonly ChosenFile[] {
  return files.filter(({ path }) => !path.split('/').some(name => name.startsWith('.')))
}
