import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words.js'
import { type ChosenFile, filesOfDrop, filesOfInput } from './chosen-files.js'

/** Takes files and folders that are dropped. Both can also be chosen by buttons. */
export function DropZone({ add }: { add(chosen: Promise<readonly ChosenFile[]>): void }) {
  const [isOver, setIsOver] = useState(false)
  function drop(event: DragEvent): void {
    event.preventDefault()
    setIsOver(false)
    if (event.dataTransfer) add(filesOfDrop(event.dataTransfer))
  }
  return (
    <section
      class={`drop-zone${isOver ? ' is-over' : ''}`}
      aria-label={words.upload.chooseFiles}
      onDragOver={event => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <p>{words.upload.explain}</p>
      <p class="pager">
        <FileButton label={words.upload.chooseFiles} isFolder={false} add={add} />
        <FileButton label={words.upload.chooseFolder} isFolder={true} add={add} />
      </p>
    </section>
  )
}

/** A button that opens the choice of files of the browser. */
function FileButton({
  label,
  isFolder,
  add,
}: {
  readonly label: string
  readonly isFolder: boolean
  add(chosen: Promise<readonly ChosenFile[]>): void
}) {
  const input = useRef<HTMLInputElement>(null)
  // The types of elements do not know this attribute
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
        onChange={event => {
          add(Promise.resolve(filesOfInput(event.currentTarget)))
          // The same files can be chosen again after they were put right.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
