import { useCallback, useEffect, useState } from 'preact/hooks'
import type { SchemaChoice } from '../api/new-records.js'
import { writingWords } from '../words-of-writing.js'
import { useDrawnParts } from './drawn-parts.js'
import { FileRow } from './file-row.js'
import type { UploadedFile } from './uploaded-file.js'
import type { FileChange, Upload } from './use-upload.js'

/** Files of a part of the table. A part is drawn whole or not at all. */
const partSize = 20
/** Files up to which all rows are in the page, so that the search of the browser finds them. */
const mostWhole = 100

interface Props {
  readonly upload: Upload
  readonly schemas: readonly SchemaChoice[]
  readonly repeated: ReadonlyMap<string, string>
  /** The file whose button gets the focus. */
  readonly wanted: { readonly id: string } | undefined
  isWrong(file: UploadedFile): boolean
}

/** The chosen files as rows. Of many, only those near the screen are in the page. */
export function FileTable({ upload, schemas, repeated, wanted, isWrong }: Props) {
  const [openId, setOpenId] = useState<string>()
  const [isOnlyWrong, setIsOnlyWrong] = useState(false)
  const { files } = upload
  const change = useCallback(
    (id: string, changed: FileChange) => upload.change(file => (file.id === id ? changed : undefined)),
    [],
  )
  const shown = isOnlyWrong ? files.filter(each => isWrong(each) || each.id === openId) : files
  const bodies = Array.from({ length: Math.ceil(shown.length / partSize) }, (_, part) =>
    shown.slice(part * partSize, (part + 1) * partSize),
  )
  const needed = bodies.flatMap((body, part) =>
    shown.length <= mostWhole || body.some(({ id }) => id === openId || id === wanted?.id) ? [part] : [],
  )
  const { table, parts, onFocusIn } = useDrawnParts(
    bodies.map(({ length }) => length),
    needed,
  )
  useEffect(() => {
    if (wanted) document.getElementById(`open-${wanted.id}`)?.focus()
  }, [wanted])
  const { include, file, schema, resource, result } = writingWords.upload.column
  return (
    <>
      <p>
        <label class="check">
          <input
            type="checkbox"
            checked={isOnlyWrong}
            onChange={event => setIsOnlyWrong(event.currentTarget.checked)}
          />{' '}
          {writingWords.upload.onlyFindings}
        </label>
      </p>
      <table
        ref={table}
        class="stacked upload"
        aria-label={writingWords.upload.table}
        aria-rowcount={shown.length + 1}
        onFocusIn={onFocusIn}
      >
        <thead>
          <tr aria-rowindex={1}>
            {[include, file, schema, resource, result].map(title => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {bodies.map((body, part) =>
          parts.isDrawn(part) ? (
            <tbody key={part} data-part={part}>
              {body.map((each, row) => (
                <FileRow
                  key={each.id}
                  file={each}
                  index={part * partSize + row}
                  repeats={repeated.get(each.path)}
                  isOpen={each.id === openId}
                  {...{ schemas, change }}
                  open={setOpenId}
                />
              ))}
            </tbody>
          ) : (
            <tbody key={part} data-part={part} aria-hidden="true" style={{ height: parts.heightOf(part) }} />
          ),
        )}
      </table>
    </>
  )
}
