import { type GivenFile, isSchemaFile } from './given-schema-files.js'

/** Limit of the files that are read of one folder. */
const maxFiles = 1000

/** The files that a person has dropped. Folders keep the paths of their files. @throws Error if there are too many */
export async function filesOfDrop({ items, files }: DataTransfer): Promise<readonly GivenFile[]> {
  // The list of items is empty after the first pause.
  const entries = [...items].flatMap(item => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return await filesOfList([...files])
  const found: { readonly path: string; readonly file: File }[] = []
  for (const entry of entries) {
    // A set of directories may be long: they are read one after the other.
    for (const open = [entry]; open.length > 0; ) {
      const next = open.shift() as FileSystemEntry
      if (next.isDirectory) open.push(...(await childrenOf(next as FileSystemDirectoryEntry)))
      else
        found.push({
          path: next.fullPath.replace(/^\//, ''),
          file: await fileOf(next as FileSystemFileEntry),
        })
      if (found.length + open.length > maxFiles) throw new Error(`There are more than ${maxFiles} files.`)
    }
  }
  return await withText(
    found,
    entries.some(({ isDirectory }) => isDirectory),
  )
}

/** The files that a person has chosen. */
export async function filesOfList(files: readonly File[]): Promise<readonly GivenFile[]> {
  const found = files.map(file => ({ path: file.webkitRelativePath || file.name, file }))
  return await withText(
    found,
    found.some(({ path }) => path.includes('/')),
  )
}

/** @param isFolder leaves files out that do not belong to schemas */
async function withText(
  found: readonly { readonly path: string; readonly file: File }[],
  isFolder: boolean,
): Promise<readonly GivenFile[]> {
  const wanted = isFolder ? found.filter(({ path }) => isSchemaFile(path)) : found
  return await Promise.all(
    wanted.map(async ({ path, file }) => ({ path, content: file, text: await file.text() })),
  )
}

async function childrenOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const found: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return found
    found.push(...part)
  }
}

async function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return await new Promise((resolve, reject) => entry.file(resolve, reject))
}
