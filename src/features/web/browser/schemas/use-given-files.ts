import { useRef, useState } from 'preact/hooks'
import type { SchemaContent } from '../api/schemas.js'
import {
  type FurtherFiles,
  furtherFiles,
  type GivenFile,
  type GivenState,
  guessMainFile,
} from './given-schema-files.js'

/** The files that a person gave for a schema, and how they change. */
export interface GivenFiles extends GivenState, FurtherFiles {
  /** Adds files. The main file is guessed when the first ones come. */
  take(files: readonly GivenFile[]): void
  choose(main: string): void
  /** Forgets the files that are stored. All stay if others were given since. */
  clear(stored: GivenState): void
  /** What is sent if the editor has this text. */
  contentWith(text: string): SchemaContent
  /** The files for what happens later, when those of a call are outdated. */
  now(): GivenState
}

/**
 * @param onMain gets the main file when it is given or chosen: its text goes into the editor
 * @param first files of a draft
 */
export function useGivenFiles(
  onMain: (file: GivenFile) => void,
  first: GivenState = { given: [] },
): GivenFiles {
  const [state, setState] = useState(first)
  const latest = useRef(state)
  function change(given: readonly GivenFile[], main: string | undefined): void {
    latest.current = { given, main }
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
    clear(stored) {
      if (latest.current === stored) change([], undefined)
    },
    contentWith: text => contentOf(latest.current, text),
    now: () => latest.current,
  }
}

/** What is sent if the editor has this text. A main file that was not edited is sent byte for byte. */
export function contentOf({ given, main }: GivenState, text: string): SchemaContent {
  const file = given.find(({ path }) => path === main)
  return {
    name: file?.path.slice(file.path.lastIndexOf('/') + 1),
    main: new Blob([file?.text === text ? file.bytes : text]),
    files: file ? furtherFiles(given, file.path).files : new Map(),
  }
}
