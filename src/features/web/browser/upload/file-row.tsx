import { memo } from 'preact/compat'
import { useState } from 'preact/hooks'
import type { SchemaChoice } from '../api/new-records.js'
import { serviceUrl } from '../api/service-url.js'
import { lazyPart } from '../parts/failure-boundary.js'
import { FindingText } from '../parts/failure-message.js'
import { recordAddress } from '../parts/page-frame.js'
import { writingWords } from '../words-of-writing.js'
import { SchemaSelect } from './schema-select.js'
import { findingsOfFile, type UploadedFile } from './uploaded-file.js'
import type { FileChange } from './use-upload.js'

/** The editor is a script of its own. */
const FilePanel = lazyPart(async () => (await import('./file-panel.js')).FilePanel)

interface Props {
  readonly file: UploadedFile
  /** Of the row, from 0. */
  readonly index: number
  /** Path of a file before it that describes the same. */
  readonly repeats: string | undefined
  readonly isOpen: boolean
  readonly schemas: readonly SchemaChoice[]
  change(id: string, change: FileChange): void
  /** Opens the file in place, or closes it. */
  open(id: string | undefined): void
}

/** Number of the columns of the table. */
export const columns = 5

/** A file in the table, and the place where it is put right. Drawn again only if something of it has changed. */
export const FileRow = memo(function FileRow({ file, index, repeats, isOpen, schemas, change, open }: Props) {
  const { id, path, language, schema, resource, isIncluded, check } = file
  const findings = findingsOfFile(file, repeats)
  const [first] = findings
  const action = isOpen ? 'close' : first ? 'putRight' : 'open'
  // Once it is there it stays: it may have the focus.
  const [hasChoice, setHasChoice] = useState(schema === undefined)
  if (!hasChoice && (schema === undefined || first)) setHasChoice(true)
  const title = schemas.find(each => each.id === schema)?.title ?? schema
  return (
    <>
      <tr aria-rowindex={index + 2}>
        <td>
          <label class="check">
            <input
              type="checkbox"
              checked={isIncluded}
              aria-label={writingWords.upload.include(path)}
              onChange={event => change(id, { isIncluded: event.currentTarget.checked })}
            />
          </label>
        </td>
        <th scope="row" dir="auto">
          {path}
        </th>
        <td data-label={writingWords.upload.column.schema} dir="auto">
          {hasChoice && language ? (
            <SchemaSelect
              label={writingWords.upload.schemaOf(path)}
              schemas={schemas.filter(each => each.language === language)}
              value={schema}
              choose={chosen => change(id, { schema: chosen })}
            />
          ) : (
            title
          )}
        </td>
        <td data-label={writingWords.upload.column.resource} dir="auto">
          {resource}
        </td>
        <td>
          {first ? (
            <p class="state finding" dir="auto">
              {findings.length > 1 && `${writingWords.upload.findings(findings.length)}: `}
              <FindingText finding={first} place={first.path} />
            </p>
          ) : (
            check.kind !== 'invalid' && (
              <p class="state">
                {check.kind === 'valid' && !isIncluded
                  ? writingWords.upload.validLeftOut
                  : writingWords.upload.state[check.kind]}
              </p>
            )
          )}
          {check.kind === 'invalid' && check.rival && (
            // In another window: this one keeps the files.
            <p>
              <a
                href={new URL(`app${recordAddress(check.rival, 'edit')}`, serviceUrl).href}
                target="_blank"
                rel="noreferrer"
                dir="auto"
              >
                {writingWords.upload.editThat(check.rival.title)}
              </a>
            </p>
          )}
          <button
            type="button"
            id={`open-${id}`}
            aria-expanded={isOpen}
            aria-label={writingWords.upload.actionOn[action](path)}
            onClick={() => open(isOpen ? undefined : id)}
          >
            {writingWords.upload.action[action]}
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={columns}>
            <FilePanel key={file.times} {...{ file, schemas, findings, change }} />
          </td>
        </tr>
      )}
    </>
  )
})
