import { useId, useState } from 'preact/hooks'
import type { ChosenFile } from '../files/chosen-files.js'
import { DropZone } from '../files/drop-zone.js'
import { FailureMessage } from '../parts/failure-message.js'
import { schemaWords } from '../words-of-schemas.js'
import { type GivenFile, givenFile, isSchemaFile } from './given-schema-files.js'
import type { GivenFiles } from './use-given-files.js'

/** Takes files and folders that are dropped or chosen, and shows which one is the main file. */
export function FileFields({ files }: { readonly files: GivenFiles }) {
  const [failure, setFailure] = useState<unknown>()
  function take(chosen: Promise<readonly ChosenFile[]>): void {
    setFailure(undefined)
    chosen.then(withText).then(files.take, setFailure)
  }
  return (
    <>
      <DropZone label={schemaWords.schema.files} explain={schemaWords.schema.drop} take={take} />
      {failure !== undefined && <FailureMessage error={failure} />}
      {files.given.length > 1 && <MainFile files={files} />}
      {files.outside.length > 0 && (
        <p class="notice">{schemaWords.schema.outside(files.outside.join(', '))}</p>
      )}
    </>
  )
}

/** Of a folder, only the files that belong to schemas. */
async function withText(chosen: readonly ChosenFile[]): Promise<readonly GivenFile[]> {
  const isFolder = chosen.some(({ path }) => path.includes('/'))
  const wanted = isFolder ? chosen.filter(({ path }) => isSchemaFile(path)) : chosen
  return await Promise.all(
    wanted.map(async ({ path, file }) => givenFile(path, new Uint8Array(await file.arrayBuffer()))),
  )
}

function MainFile({ files }: { readonly files: GivenFiles }) {
  const name = useId()
  return (
    <fieldset>
      <legend>{schemaWords.schema.mainFile}</legend>
      <p class="dim">{schemaWords.schema.mainFileHint}</p>
      <ul class="plain choices">
        {files.given.map(({ path }) => (
          <li key={path}>
            <label>
              <input
                type="radio"
                name={name}
                checked={path === files.main}
                onChange={() => files.choose(path)}
              />{' '}
              <span class="mono" dir="auto">
                {path}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
