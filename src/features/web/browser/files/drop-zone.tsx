import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words.js'
import { type ChosenFile, filesOfDrop, filesOfInput } from './chosen-files.js'

/** Takes files and folders that are dropped. Both can also be chosen by buttons. */
export function DropZone({
  label,
  explain,
  take,
}: {
  readonly label: string
  readonly explain: string
  take(chosen: Promise<readonly ChosenFile[]>): void
}) {
  const [isOver, setIsOver] = useState(false)
  function drop(event: DragEvent): void {
    event.preventDefault()
    setIsOver(false)
    if (event.dataTransfer) take(filesOfDrop(event.dataTransfer))
  }
  return (
    <section
      class={`drop-zone${isOver ? ' is-over' : ''}`}
      aria-label={label}
      onDragOver={event => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <p>{explain}</p>
      <p class="pager">
        <FileButton label={words.files.chooseFiles} isFolder={false} take={take} />
        <FileButton label={words.files.chooseFolder} isFolder={true} take={take} />
      </p>
    </section>
  )
}

/** A button that opens the choice of files of the browser. */
function FileButton({
  label,
  isFolder,
  take,
}: {
  readonly label: string
  readonly isFolder: boolean
  take(chosen: Promise<readonly ChosenFile[]>): void
}) {
  const input = useRef<HTMLInputElement>(null)
  // The types of elements do not know this attribute.
  useEffect(() => void input.current?.toggleAttribute('webkitdirectory', isFolder), [isFolder])
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label={label}
        onChange={({ currentTarget }) => {
          take(new Promise(resolve => resolve(filesOfInput(currentTarget))))
          // The same files can be chosen again after they were put right.
          currentTarget.value = ''
        }}
      />
    </>
  )
}
