import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { checkNewDocument, newId, type SchemaChoice } from '../api/new-records.js'
import type { ChosenFile } from '../files/chosen-files.js'
import { clueOf, hasOwnTitle } from './document-clue.js'
import { openGuesses } from './guess-schema.js'
import { documentOf, type FileCheck, faultOf, type UploadedFile, withoutEnding } from './uploaded-file.js'

/** Files that the server checks at the same time. */
const checksAtOnce = 4

/** What a person can change of a file. */
export type FileChange = Partial<
  Pick<UploadedFile, 'schema' | 'resource' | 'content' | 'isIncluded' | 'check'>
>

type Action =
  | { readonly do: 'add'; readonly files: readonly UploadedFile[] }
  | { readonly do: 'change'; readonly change: (file: UploadedFile) => FileChange | undefined }
  | { readonly do: 'checked'; readonly id: string; readonly started: FileCheck; readonly check: FileCheck }
  | { readonly do: 'remove'; readonly isDone: (file: UploadedFile) => boolean }

function reduce(files: readonly UploadedFile[], action: Action): readonly UploadedFile[] {
  switch (action.do) {
    case 'add': {
      // A file that is there already comes again because somebody has put it right.
      const added = new Map(action.files.map(file => [file.path, file]))
      const kept = files.map(file => {
        const again = added.get(file.path)
        added.delete(file.path)
        return again ? chosenAgain(file, again) : file
      })
      return [...kept, ...added.values()]
    }
    case 'change':
      return files.map(file => {
        const change = action.change(file)
        return change ? changed(file, change) : file
      })
    case 'checked':
      // A result about a former state of the file is none.
      return files.map(file =>
        file.id === action.id && file.check === action.started ? { ...file, check: action.check } : file,
      )
    case 'remove':
      return files.filter(file => !action.isDone(file))
  }
}

/** What a person has said of the file stays. */
function chosenAgain(file: UploadedFile, again: UploadedFile): UploadedFile {
  const { id, schema = again.schema, resource, times } = file
  return { ...again, id, schema, resource, times: times + 1 }
}

function changed(file: UploadedFile, change: FileChange): UploadedFile {
  const isSame = change.schema === undefined && change.resource === undefined && change.content === undefined
  return { ...file, ...(!isSame && { check: { kind: 'waiting' } }), ...change }
}

export interface Upload {
  readonly files: readonly UploadedFile[]
  /** Files whose beginning is being read. */
  readonly isReading: boolean
  add(chosen: readonly ChosenFile[]): Promise<void>
  /** Changes the files for which the function gives a change. */
  change(change: (file: UploadedFile) => FileChange | undefined): void
  remove(isDone: (file: UploadedFile) => boolean): void
}

/**
 * The files of an upload. Each is checked as if it were stored, a few at a time.
 * @param schemas the schemas that the service has
 */
export function useUpload(schemas: readonly SchemaChoice[]): Upload {
  const [files, dispatch] = useReducer(reduce, [])
  const [reading, setReading] = useState(0)
  const lastRead = useRef<Promise<unknown>>(Promise.resolve())
  const requests = useRef(new Map<string, AbortController>())

  useEffect(() => {
    const { current: running } = requests
    for (const file of files) {
      // What was changed meanwhile is checked anew.
      if (file.check.kind !== 'checking') running.get(file.id)?.abort()
      if (running.size >= checksAtOnce || running.has(file.id)) continue
      if (file.check.kind === 'waiting' && faultOf(file) === undefined) void check(file)
    }
  }, [files])
  // Ends what still runs.
  useEffect(
    () => () => {
      for (const request of requests.current.values()) request.abort()
    },
    [],
  )

  async function check(file: UploadedFile): Promise<void> {
    const request = new AbortController()
    requests.current.set(file.id, request)
    const started = { kind: 'checking' } as const
    // A file that has changed since it was drawn is checked as it is then.
    dispatch({ do: 'change', change: each => (each === file ? { check: started } : undefined) })
    const result = await checked(file, request.signal)
    requests.current.delete(file.id)
    dispatch({ do: 'checked', id: file.id, started, check: result })
  }

  return {
    files,
    isReading: reading > 0,
    async add(chosen) {
      setReading(count => count + 1)
      try {
        // What was chosen later comes later: it may have the same files, put right.
        const files = readAll(chosen, schemas)
        const before = lastRead.current
        lastRead.current = files.catch(() => undefined)
        await before
        dispatch({ do: 'add', files: await files })
      } finally {
        setReading(count => count - 1)
      }
    },
    change: change => dispatch({ do: 'change', change }),
    remove: isDone => dispatch({ do: 'remove', isDone }),
  }
}

async function checked(file: UploadedFile, signal: AbortSignal): Promise<FileCheck> {
  try {
    const { findings, rival } = await checkNewDocument(documentOf(file), signal)
    return findings.length === 0 ? { kind: 'valid' } : { kind: 'invalid', findings, rival }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

async function readAll(
  chosen: readonly ChosenFile[],
  schemas: readonly SchemaChoice[],
): Promise<readonly UploadedFile[]> {
  const guess = openGuesses(schemas)
  const files: UploadedFile[] = []
  for (const { path, file } of chosen) {
    const clue = await clueOf(file)
    const { schema, isAmbiguous } = await guess(clue)
    files.push({
      id: newId(),
      path,
      content: file,
      language: clue.language,
      schema: schema?.id,
      isAmbiguous,
      resource: withoutEnding(path),
      // A title in the record would win over that of the document.
      title: (await hasOwnTitle(file, clue)) ? '' : withoutEnding(path.split('/').at(-1) ?? path),
      isIncluded: clue.language !== undefined,
      times: 1,
      check: { kind: 'waiting' },
    })
  }
  return files
}
