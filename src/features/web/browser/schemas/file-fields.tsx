import { useId, useState } from 'preact/hooks'
import { FailureMessage } from '../parts/failure-message.js'
import { words } from '../words.js'
import type { GivenFile } from './given-schema-files.js'
import { filesOfDrop, filesOfList } from './read-files.js'
import type { GivenFiles } from './use-given-files.js'

/** Takes files and folders that are dropped or chosen, and shows which one is the main file. */
export function FileFields({ files }: { readonly files: GivenFiles }) {
  const [isOver, setIsOver] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  function take(reading: Promise<readonly GivenFile[]>): void {
    setFailure(undefined)
    reading.then(files.take, setFailure)
  }
  return (
    <>
      <section
        class="drop"
        aria-label={words.schema.files}
        data-over={isOver}
        onDragOver={event => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={event => {
          event.preventDefault()
          setIsOver(false)
          if (event.dataTransfer) take(filesOfDrop(event.dataTransfer))
        }}
      >
        <p>{words.schema.drop}</p>
        <p class="pager">
          <FileInput label={words.schema.chooseFiles} take={take} />
          <FileInput label={words.schema.chooseFolder} take={take} isFolder />
        </p>
      </section>
      {failure !== undefined && <FailureMessage error={failure} />}
      {files.given.length > 1 && <MainFile files={files} />}
      {files.outside.length > 0 && <p class="notice">{words.schema.outside(files.outside.join(', '))}</p>}
    </>
  )
}

function FileInput({
  label,
  take,
  isFolder = false,
}: {
  readonly label: string
  take(reading: Promise<readonly GivenFile[]>): void
  readonly isFolder?: boolean
}) {
  const id = useId()
  return (
    <span>
      <label for={id}>{label}</label>{' '}
      <input
        id={id}
        type="file"
        multiple
        {...(isFolder && { webkitdirectory: true })}
        onChange={({ currentTarget: input }) => {
          take(filesOfList([...(input.files ?? [])]))
          // The same files can be chosen again after they were mended.
          input.value = ''
        }}
      />
    </span>
  )
}

function MainFile({ files }: { readonly files: GivenFiles }) {
  const name = useId()
  return (
    <fieldset>
      <legend>{words.schema.mainFile}</legend>
      <p class="dim">{words.schema.mainFileHint}</p>
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
