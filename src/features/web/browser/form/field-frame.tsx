import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { nameInWords } from '../../../../core/text/name-in-words.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { fieldId, pointerOf, useForm } from './form-state.js'
import type { Path } from './json-document.js'

/** Characters that two lines always hold. */
const shortHint = 60

/** A label, a control, and what is said of it. */
export function FieldFrame({
  id,
  label,
  description,
  isRequired = false,
  isWide = false,
  findings = [],
  children,
}: {
  /** The id of the control. Its description has the id with `-about`. */
  readonly id: string
  readonly label: string
  readonly description?: string | undefined
  readonly isRequired?: boolean | undefined
  /** Whether the field takes two columns where there are several. */
  readonly isWide?: boolean
  readonly findings?: readonly string[]
  readonly children: ComponentChildren
}) {
  return (
    <div class={isWide ? 'field wide-field' : 'field'}>
      <label for={id}>
        {label}
        {isRequired && <span class="dim"> ({words.required})</span>}
      </label>
      {children}
      <About id={id} description={description} findings={findings} />
    </div>
  )
}

interface AboutProps {
  readonly id: string
  readonly description?: string | undefined
  readonly findings: readonly string[]
}

/** The description of a place, and what a validator found there. */
export function About(props: AboutProps) {
  const { description, findings } = props
  if (!description && findings.length === 0) return null
  // How long a description is gets measured when it is drawn first.
  return <DrawnAbout key={description} {...props} />
}

/** A description that is longer than two lines is folded until a person wants more of it. */
function DrawnAbout({ id, description = '', findings }: AboutProps) {
  const [isLong, setIsLong] = useState(description.length > shortHint)
  const [isOpen, setIsOpen] = useState(false)
  const hint = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    if (isLong && hint.current) setIsLong(hint.current.scrollHeight > hint.current.clientHeight)
  }, [])
  return (
    <div class="about">
      {/* What assistive software reads of a field: all of the description, and no button. */}
      <div id={`${id}-about`}>
        {findings.map(message => (
          <p key={message} class="finding">
            {message}
          </p>
        ))}
        {description && (
          <p ref={hint} class={isLong && !isOpen ? 'dim folded' : 'dim'}>
            {description}
          </p>
        )}
      </div>
      {isLong && (
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? writingWords.form.less : writingWords.form.more}
        </button>
      )}
    </div>
  )
}

/** What controls of a place have in common: its id, its findings, and attributes for assistive software. */
export function usePlace(path: Path, description: string | undefined) {
  const { findings, fresh } = useForm()
  const pointer = pointerOf(path)
  const id = fieldId(pointer)
  const isFresh = fresh !== undefined && `${pointer}/`.startsWith(`${fresh}/`)
  const own = findings()
    .filter(finding => !isFresh && finding.path === pointer)
    .map(({ message }) => message)
  const hasAbout = description !== undefined || own.length > 0
  return {
    id,
    findings: own,
    attributes: {
      id,
      'aria-invalid': own.length > 0,
      ...(hasAbout && { 'aria-describedby': `${id}-about` }),
    },
  }
}

/** The name of a place that people read: the title of the schema, else the name in words. */
export function labelOfPlace(title: string | undefined, path: Path): string {
  const last = path.at(-1)
  if (typeof last === 'number') return title ? `${title} ${last + 1}` : writingWords.form.item(last + 1)
  return title ?? (last === undefined ? writingWords.form.document : nameInWords(last))
}
