import { useRef, useState } from 'preact/hooks'
import type { SchemaContent } from '../api/schemas.js'
import { type FurtherFiles, furtherFiles, type GivenFile, guessMainFile } from './given-schema-files.js'

/** The files that a person gave for a schema. */
export interface GivenFiles extends FurtherFiles {
  readonly given: readonly GivenFile[]
  /** Path of the main file; undefined: no file was given, and the schema is typed. */
  readonly main: string | undefined
  /** Adds files. The main file is guessed when the first ones come. */
  take(files: readonly GivenFile[]): void
  choose(main: string): void
  /** Forgets the files: they are stored. */
  clear(): void
  /** What is sent if the editor has this text. A main file that was not edited is sent byte for byte. */
  contentWith(text: string): SchemaContent
}

/** @param onMain gets the main file when it is given or chosen: its text goes into the editor */
export function useGivenFiles(onMain: (file: GivenFile) => void): GivenFiles {
  const [state, setState] = useState<{ readonly given: readonly GivenFile[]; readonly main?: string }>({
    given: [],
  })
  /** The files for what happens later, when those of this call are outdated. */
  const latest = useRef(state)
  function change(given: readonly GivenFile[], main: string | undefined): void {
    latest.current = { given, ...(main !== undefined && { main }) }
    setState(latest.current)
  }
  const { given, main } = state
  return {
    given,
    main,
    ...furtherFiles(given, main ?? ''),
    take(files) {
      const before = latest.current
      const added = new Map([...before.given, ...files].map(file => [file.path, file]))
      const all = [...added.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
      const chosen = before.main ?? guessMainFile(all)
      change(all, chosen)
      // A main file that was there already stays as it was edited, unless it was given anew.
      const own = files.find(({ path }) => path === chosen)
      if (own) onMain(own)
    },
    choose(path) {
      const file = latest.current.given.find(each => each.path === path)
      if (!file) return
      change(latest.current.given, path)
      onMain(file)
    },
    clear: () => change([], undefined),
    contentWith(text) {
      const now = latest.current
      const file = now.given.find(({ path }) => path === now.main)
      return {
        name: file?.path.slice(file.path.lastIndexOf('/') + 1),
        main: file?.text === text ? file.content : new Blob([text]),
        files: file ? furtherFiles(now.given, file.path).files : new Map(),
      }
    },
  }
}
