import { saveFile } from '../files/save-file.js'
import { words } from '../words.js'

/** A button that saves a draft as a file. */
export function DownloadButton({ textOf }: { textOf(): string }) {
  return (
    <button type="button" onClick={() => saveFile(new Blob([textOf()]), 'draft.txt')}>
      {words.draft.download}
    </button>
  )
}
