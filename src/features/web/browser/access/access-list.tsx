import type { ComponentChild } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { AclEntry, Caller, Permission } from '../api/interface-types.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import { peopleWords } from '../words-of-people.js'
import {
  type AccessEdits,
  editedAcls,
  everybodySid,
  permissions,
  permissionsBySubject,
  subjectInWords,
} from './access-edits.js'

interface Props {
  readonly acls: readonly AclEntry[]
  /** Undefined: the list can only be read. */
  readonly editor: Caller | undefined
  readonly me: Caller | undefined
  readonly isStoring: boolean
  readonly edits: AccessEdits
  edit(edits: AccessEdits): void
  store(acls: AclEntry[]): void
  /** Why the list was not sent; undefined: it was, or it was not asked for since. */
  readonly fault: string | undefined
  /** Is told why the list is not sent. */
  refuse(fault: string): void
}

/** Who may do what. Changes are gathered and stored together. */
export function AccessList({ acls, editor, me, isStoring, edits, edit, store, fault, refuse }: Props) {
  /** The change that was made last, for screen readers. */
  const [said, setSaid] = useState('')
  const status = useRef<HTMLParagraphElement>(null)
  function set(sid: string, permission: Permission | undefined) {
    edit(new Map(edits).set(sid, permission))
    const name = subjectInWords(sid)
    setSaid(peopleWords.access.notStored(name, permission))
    // The button that had the focus is gone with the entry.
    if (permission === undefined) status.current?.focus()
  }
  function submit() {
    if (isStoring) return
    const next = editedAcls(acls, edits)
    // The server would leave the list as it is.
    if (next.length === 0) return refuse(peopleWords.access.empty)
    if (edits.size === 0) return refuse(peopleWords.access.unchanged)
    store(next)
  }
  return (
    <>
      <AccessTable acls={editedAcls(acls, edits)} me={me}>
        {editor &&
          ((sid, permission) => (
            <Choice
              {...{ sid, permission, set }}
              // An administrator keeps all rights without the list.
              locked={lockOf(sid, permission, editor)}
            />
          ))}
      </AccessTable>
      {editor && (
        <>
          <p ref={status} role="status" tabIndex={-1} dir="auto">
            {edits.size > 0 && said}
          </p>
          <NewEntry add={set} />
          {fault !== undefined && (
            <p class="notice" role="alert">
              {fault}
            </p>
          )}
          <p class="pager">
            <button type="button" class="button main" aria-disabled={isStoring} onClick={submit}>
              {isStoring ? historyWords.restore.storing : peopleWords.access.store}
            </button>
            {edits.size > 0 && (
              <button type="button" onClick={() => edit(new Map())}>
                {peopleWords.access.undo(edits.size)}
              </button>
            )}
          </p>
        </>
      )}
    </>
  )
}

/** Who may do what, in words. @param props.children draws a permission that can be changed */
export function AccessTable({
  acls,
  me,
  children: permissionOf,
}: Pick<Props, 'acls' | 'me'> & {
  readonly children?: ((sid: string, permission: Permission) => ComponentChild) | undefined
}) {
  const shown = permissionsBySubject(acls)
  if (shown.size === 0) return <p>{peopleWords.access.nobody}</p>
  return (
    <table class="stacked access" aria-label={peopleWords.access.rightsTitle}>
      <thead>
        <tr>
          <th scope="col">{peopleWords.access.who}</th>
          <th scope="col">{peopleWords.access.may}</th>
        </tr>
      </thead>
      <tbody>
        {[...shown].map(([sid, permission]) => (
          <tr key={sid}>
            <td data-label={peopleWords.access.who}>
              <SubjectName sid={sid} me={me} />
            </td>
            <td data-label={peopleWords.access.may}>
              {permissionOf ? permissionOf(sid, permission) : peopleWords.access.permission[permission]}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Why an entry cannot be changed by this editor; undefined: it can. */
function lockOf(sid: string, permission: Permission, editor: Caller): string | undefined {
  if (sid !== editor.name || permission !== 'ADMINISTRATE') return undefined
  if (sid === 'SELF') return peopleWords.access.open
  return editor.administrator ? undefined : peopleWords.access.locked
}

function SubjectName({ sid, me }: { readonly sid: string; readonly me: Caller | undefined }) {
  const name = subjectInWords(sid)
  if (name !== sid) return <>{name}</>
  const isMine = me?.groups.includes(sid)
  return (
    <>
      <bdi>{sid}</bdi> {me?.name === sid && <span class="tag">{peopleWords.access.you}</span>}
      {isMine && <span class="tag">{peopleWords.access.yourGroup}</span>}
    </>
  )
}

function Choice({
  sid,
  permission,
  locked,
  set,
}: {
  readonly sid: string
  readonly permission: Permission
  /** Why it cannot be changed; undefined: it can. */
  readonly locked: string | undefined
  set(sid: string, permission: Permission | undefined): void
}) {
  const name = subjectInWords(sid)
  if (locked !== undefined) {
    return (
      <>
        {peopleWords.access.permission[permission]}
        <span class="hint">{locked}</span>
      </>
    )
  }
  return (
    <span class="access-choice">
      <PermissionSelect
        label={peopleWords.access.mayOf(name)}
        value={permission}
        choose={value => set(sid, value)}
      />
      <button type="button" aria-label={peopleWords.access.remove(name)} onClick={() => set(sid, undefined)}>
        {words.remove}
      </button>
    </span>
  )
}

function PermissionSelect({
  label,
  value,
  choose,
}: {
  readonly label: string
  readonly value: Permission
  choose(permission: Permission): void
}) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={event => choose(event.currentTarget.value as Permission)}
    >
      {permissions
        .filter(each => each !== 'NONE' || value === 'NONE')
        .map(each => (
          <option key={each} value={each}>
            {peopleWords.access.permission[each]}
          </option>
        ))}
    </select>
  )
}

/** A form for one more entry: a user or a group by name, or everybody. */
function NewEntry({ add }: { add(sid: string, permission: Permission): void }) {
  const [isForAll, setIsForAll] = useState(false)
  const [name, setName] = useState('')
  const [permission, setPermission] = useState<Permission>('READ')
  function submit(event: Event) {
    event.preventDefault()
    add(isForAll ? everybodySid : name.trim(), permission)
    setName('')
  }
  return (
    <form class="plain" onSubmit={submit}>
      <fieldset class="entry">
        <legend>{peopleWords.access.addTitle}</legend>
        <label>
          <input type="radio" name="subject" checked={!isForAll} onChange={() => setIsForAll(false)} />{' '}
          {peopleWords.access.one}
        </label>
        <label>
          <input type="radio" name="subject" checked={isForAll} onChange={() => setIsForAll(true)} />{' '}
          {peopleWords.access.everybody}
        </label>
        {!isForAll && (
          <label>
            {peopleWords.access.name}
            <input
              autocomplete="off"
              spellcheck={false}
              required
              pattern=".*\S.*"
              value={name}
              onInput={event => setName(event.currentTarget.value)}
            />
            <span class="hint">{peopleWords.access.nameHint}</span>
          </label>
        )}
        <p class="access-choice">
          <PermissionSelect label={peopleWords.access.may} value={permission} choose={setPermission} />
          <button type="submit">{peopleWords.access.add}</button>
        </p>
      </fieldset>
    </form>
  )
}
